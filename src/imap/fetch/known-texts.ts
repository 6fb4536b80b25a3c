import type { PlainItem } from './items.ts'

/** Characters that are kept in a process, and what each text takes beside its own. */
const mostKept = 16 << 20
const beside = 150
/** No longer text is kept, so that one message does not push out those of many. */
const longest = 16 << 10

/** What tells of a message alone, and is made of its octets. */
const structural: ReadonlySet<unknown> = new Set<PlainItem>(['ENVELOPE', 'BODY', 'BODYSTRUCTURE'])

export function isStructural(item: unknown): boolean {
  return structural.has(item)
}

/** Envelopes and structures as they were told last. Programs ask for those of the newest messages each time that they open a
 *  mailbox; to make them anew takes ten times as long. No other message ever has the same folder and uid. */
export class KnownTexts {
  /** The one that was used last comes last. */
  readonly #texts = new Map<string, string>()
  #kept = 0
  readonly #most: number

  constructor(most = mostKept) {
    this.#most = most
  }

  find(name: string): string | undefined {
    const text = this.#texts.get(name)
    if (text === undefined) return undefined
    this.#texts.delete(name)
    this.#texts.set(name, text)
    return text
  }

  keep(name: string, text: string): void {
    if (text.length > longest || this.#texts.has(name)) return
    this.#texts.set(name, text)
    this.#kept += text.length + beside
    for (const [oldest, { length }] of this.#texts) {
      if (this.#kept <= this.#most) return
      this.#texts.delete(oldest)
      this.#kept -= length + beside
    }
  }
}

/** The texts of a folder's messages as a client is told them. */
export class FolderTexts {
  readonly #texts: KnownTexts
  readonly #folderId: number
  /** The client knows message/global, which other structures tell of. */
  readonly knowsGlobal: boolean

  constructor(texts: KnownTexts, folderId: number, knowsGlobal: boolean) {
    this.#texts = texts
    this.#folderId = folderId
    this.knowsGlobal = knowsGlobal
  }

  find(uid: number, item: PlainItem): string | undefined {
    return isStructural(item) ? this.#texts.find(this.#name(uid, item)) : undefined
  }

  /** The known text, or else what `make` makes. */
  async findOr(uid: number, item: PlainItem, make: () => Promise<string>): Promise<string> {
    const known = this.find(uid, item)
    if (known !== undefined) return known
    const made = await make()
    this.#texts.keep(this.#name(uid, item), made)
    return made
  }

  #name(uid: number, item: PlainItem): string {
    return `${this.#folderId} ${uid} ${item}${this.knowsGlobal ? ' global' : ''}`
  }
}
