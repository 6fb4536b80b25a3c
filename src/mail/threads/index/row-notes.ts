import { grown } from './grown.ts'

/** Of marks, which are four bits (../mailbox/marks.ts). All are gone through to count some. */
const kinds = 16

/** Notes of a mailbox's index on the rows of a folder (mailbox-index.ts). Takes 6 bytes a message. */
export class RowNotes {
  #marks: Uint8Array
  /** The number of its conversation over all folders. */
  #conversation: Uint32Array
  #judgement: Uint8Array
  /** The rule of the judgements. */
  #rule = ''
  /** How many rows have just these marks. */
  readonly #marked = new Int32Array(kinds)

  constructor(expected: number) {
    const room = expected + (expected >>> 5) + 16
    this.#marks = new Uint8Array(room)
    this.#conversation = new Uint32Array(room)
    this.#judgement = new Uint8Array(room)
  }

  get bytes(): number {
    return 6 * this.#marks.length
  }

  reserve(rows: number): void {
    this.#marks = grown(this.#marks, rows)
    this.#conversation = grown(this.#conversation, rows)
    this.#judgement = grown(this.#judgement, rows)
  }

  marks(row: number): number {
    return this.#marks[row] as number
  }

  setMarks(row: number, marks: number): void {
    this.#count(this.marks(row), -1)
    this.#count(marks, 1)
    this.#marks[row] = marks
  }

  /** The number of rows that have, of the marks in `mask`, exactly these, which are not empty. */
  countMarked(mask: number, marks: number): number {
    return this.#marked.reduce((sum, count, all) => ((all & mask) === marks ? sum + count : sum), 0)
  }

  /** Valid if the row has marks. */
  conversation(row: number): number {
    return this.#conversation[row] as number
  }

  setConversation(row: number, number: number): void {
    this.#conversation[row] = number
  }

  /** The result for the message by the rule of `judgeBy`; 0 before. */
  judgement(row: number): number {
    return this.#judgement[row] as number
  }

  /** Forgets judgements by another rule. */
  judgeBy(rule: string): void {
    if (rule === this.#rule) return
    this.#rule = rule
    this.#judgement.fill(0)
  }

  /** Without effect if the rule has changed since. */
  judge(rule: string, row: number, judgement: number): void {
    if (rule === this.#rule) this.#judgement[row] = judgement
  }

  #count(marks: number, rows: number): void {
    this.#marked[marks] = (this.#marked[marks] as number) + rows
  }
}
