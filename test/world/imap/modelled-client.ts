import assert from 'node:assert/strict'
import type { HeardSession } from './heard-session.ts'

/** A message as it is, or as a client knows it. */
export interface Known {
  readonly flags: ReadonlySet<string>
  readonly modseq: number
}

/** What a client remembers of a mailbox. */
export interface Memory {
  readonly uidValidity: number
  readonly modseq: number
  readonly messages: ReadonlyMap<number, Known>
}

/** A message in the client's list. Of a new one it knows neither, until it has asked. */
interface Listed {
  uid?: number
  flags?: ReadonlySet<string> | undefined
  modseq?: number
  /** The modification sequence with which the flags were told. */
  flagsModseq?: number
}

/** A client of a selected mailbox that believes what it is told, and nothing else. */
export class ModelledClient {
  readonly session: HeardSession
  readonly #keepsModseqs: boolean
  readonly #note: (line: string) => void
  list: Listed[] = []
  #idling: Promise<string[]> | undefined
  #mayExpunge = false
  #isSelecting = false

  constructor(session: HeardSession, note: (line: string) => void) {
    this.session = session
    this.#note = note
    this.#keepsModseqs = session.enabled.has('CONDSTORE')
    session.heard = (piece) => {
      note(`S ${piece.trimEnd()}`)
      if (!this.#isSelecting) for (const line of piece.split('\r\n')) this.#believe(line)
    }
  }

  get isIdle(): boolean {
    return this.#idling !== undefined
  }

  /** Sends a command, and believes the answer. Answers the tagged line. */
  async run(command: string): Promise<string> {
    this.#mayExpunge = !/^(FETCH|STORE|SEARCH)/.test(command)
    this.#note(`C ${command}`)
    return (await this.session.run(command)).at(-1) ?? ''
  }

  /** Selects the inbox, without a memory or by one, of which it says more or less. */
  async select(memory?: Memory, says: 'state' | 'uids' | 'uids and numbers' = 'state'): Promise<void> {
    const { uidValidity = 0, modseq = 0, messages } = memory ?? {}
    const uids = [...(messages?.keys() ?? [])]
    const matches = says === 'uids and numbers' ? ` (${uids.map((_, index) => index + 1)} ${uids})` : ''
    const known = says === 'state' || uids.length === 0 ? '' : ` ${uids}${matches}`
    const parameter = memory ? ` (QRESYNC (${uidValidity} ${modseq}${known}))` : ''
    this.#isSelecting = true
    this.#note(`C SELECT${parameter}`)
    const lines = await this.session.run(`SELECT INBOX${parameter}`)
    this.#isSelecting = false
    const exists = Number(lines.map((line) => /^\* (\d+) EXISTS$/.exec(line)?.[1]).find(Boolean))
    const left = new Map(messages)
    const earlier = lines.filter((line) => line.startsWith('* VANISHED (EARLIER) '))
    assert(earlier.length <= 1)
    for (const uid of uidsIn(earlier[0]?.split(' ').at(-1) ?? '')) left.delete(uid)
    this.list = Array.from(left, ([uid, known]) => ({ uid, ...known })).sort((a, b) => a.uid - b.uid)
    assert(this.list.length <= exists, 'no more messages are left than there are')
    while (this.list.length < exists) this.list.push({})
    this.#learnUids()
    for (const line of lines) if (/FETCH|VANISHED \d/.test(line)) this.#believe(line)
  }

  beginIdle(): void {
    this.#mayExpunge = true
    this.#note('C IDLE')
    this.#idling = this.session.run('IDLE')
  }

  async endIdle(): Promise<void> {
    this.#note('C DONE')
    this.session.say('DONE')
    await this.#idling
    this.#idling = undefined
  }

  #believe(line: string): void {
    const [, number = '', what = '', rest = ''] = /^\* (\d+) (EXISTS|EXPUNGE|FETCH)(.*)$/.exec(line) ?? []
    const vanished = /^\* VANISHED (\S+)$/.exec(line)?.[1]
    if (what === 'EXPUNGE' || vanished) assert(this.#mayExpunge, `${line} must not come now`)
    if (vanished) this.#vanish(uidsIn(vanished))
    else if (what === 'EXPUNGE') this.#expunge(Number(number))
    else if (what === 'EXISTS') this.#grow(Number(number))
    else if (what === 'FETCH') this.#fetched(Number(number), rest)
    else assert.match(line, /^$|^\+|^(\* )?(OK|NO|FLAGS|LIST|0 RECENT)/)
  }

  #vanish(uids: readonly number[]): void {
    assert(this.session.enabled.has('QRESYNC'))
    const gone = new Set(uids)
    const before = this.list.length
    // It has asked for the uids of all, as a client with QRESYNC must.
    this.list = this.list.filter(({ uid }) => !gone.has(uid ?? 0))
    assert.equal(before - this.list.length, gone.size, 'each message that vanishes was there')
  }

  #expunge(number: number): void {
    assert(!this.session.enabled.has('QRESYNC'))
    assert(number >= 1 && number <= this.list.length, `there is no message ${number}`)
    this.list.splice(number - 1, 1)
  }

  #grow(count: number): void {
    assert(count >= this.list.length, 'EXISTS takes no message away')
    while (this.list.length < count) this.list.push({})
    this.#learnUids()
  }

  /** As by FETCH of the uids. */
  #learnUids(): void {
    for (const [index, message] of this.list.entries()) {
      const uid = this.session.selected?.messages.uidAt(index + 1)
      if (uid !== undefined) message.uid ??= uid
    }
  }

  #fetched(number: number, text: string): void {
    const message = this.list[number - 1]
    assert(message, `there is no message ${number}`)
    const flags = / ?FLAGS \(([^)]*)\)/.exec(text)?.[1]
    const modseq = /MODSEQ \((\d+)\)/.exec(text)?.[1]
    const uid = /UID (\d+)/.exec(text)?.[1]
    if (uid) assert.equal(message.uid, Number(uid))
    if (flags !== undefined) message.flags = new Set(flags.split(' ').filter(Boolean))
    assert.equal(modseq !== undefined, this.#keepsModseqs)
    if (!modseq) return
    // After `STORE … .SILENT` it may know a modification sequence without the flags.
    const known = flags === undefined ? message.modseq : message.flagsModseq
    assert(Number(modseq) > (known ?? 0), `FETCH of ${number} tells what is known already`)
    message.modseq = Number(modseq)
    if (flags !== undefined) message.flagsModseq = Number(modseq)
  }

  /** As a client that has sent `STORE … .SILENT`. */
  assume(uids: readonly number[], apply: (flags: ReadonlySet<string>) => ReadonlySet<string> | undefined): void {
    for (const message of this.list) {
      if (message.flags && uids.includes(message.uid ?? 0)) message.flags = apply(message.flags)
    }
  }

  /** Compares what it knows with what is, and learns of new messages what it would ask for. */
  check(present: ReadonlyMap<number, Known>): void {
    this.#learnUids()
    const uids = [...present.keys()]
    assert.deepEqual(
      this.list.map(({ uid }) => uid),
      uids,
      'the client knows the messages that there are',
    )
    for (const message of this.list) {
      const now = present.get(message.uid ?? 0)
      assert(now)
      if (message.flags)
        assert.deepEqual([...message.flags].sort(), [...now.flags].sort(), `the flags of ${message.uid}`)
      if (message.modseq !== undefined) assert.equal(message.modseq, now.modseq, `the modseq of ${message.uid}`)
      message.flags = now.flags
      if (this.#keepsModseqs) message.modseq = message.flagsModseq = now.modseq
    }
  }
}

export function uidsIn(set: string): number[] {
  return set.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split(':').map(Number)
    return from === 0 ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}
