/** Splits what an IMAP server says into responses, which may have literals. */
export class ResponseReader {
  #rest = ''
  /** Pieces since, which are joined once there are as many octets as the next response has at least. */
  #more: string[] = []
  #needed = 0
  readonly #untagged: string[] = []
  readonly #continuations: string[] = []
  readonly #tagged = new Map<string, { status: string; text: string }>()

  feed(octets: string): void {
    this.#more.push(octets)
    this.#needed -= octets.length
    if (this.#needed > 0) return
    this.#rest += this.#more.join('')
    this.#more = []
    for (;;) {
      const { end, needed } = endOfResponse(this.#rest)
      this.#needed = needed - this.#rest.length
      if (end < 0) return
      this.#sort(this.#rest.slice(0, end))
      this.#rest = this.#rest.slice(end + 2)
    }
  }

  hasTagged(tag: string): boolean {
    return this.#tagged.has(tag)
  }

  /** Whether a tagged response has this text. */
  holdsText(text: string): boolean {
    return this.#tagged.values().some((one) => one.text.includes(text))
  }

  takeTagged(tag: string): { status: string; text: string } | undefined {
    const line = this.#tagged.get(tag)
    this.#tagged.delete(tag)
    return line
  }

  takeUntagged(): string[] {
    return this.#untagged.splice(0)
  }

  takeUntil(pattern: RegExp): string | undefined {
    const at = this.#untagged.findIndex((one) => pattern.test(one))
    return at < 0 ? undefined : this.#untagged.splice(0, at + 1).at(-1)
  }

  takeContinuation(): string | undefined {
    return this.#continuations.shift()
  }

  /** What has not been taken, for a message of a failure. */
  takeAll(): string {
    const tagged = Array.from(this.#tagged, ([tag, { status, text }]) => `${tag} ${status} ${text}`)
    this.#tagged.clear()
    return [...this.takeUntagged().map((one) => `* ${one}`), ...tagged, this.#rest, ...this.#more]
      .filter(Boolean)
      .join('\n')
  }

  #sort(response: string): void {
    if (response.startsWith('* ')) this.#untagged.push(response.slice(2))
    else if (response.startsWith('+')) this.#continuations.push(response.slice(2))
    else {
      const [tag = '', status = '', ...text] = response.split(' ')
      this.#tagged.set(tag, { status, text: text.join(' ') })
    }
  }
}

/** Where the CRLF stands that ends the first response; -1 if it has not come whole, and then how many octets it has at least. */
function endOfResponse(octets: string): { end: number; needed: number } {
  for (let from = 0; ; ) {
    const end = octets.indexOf('\r\n', from)
    if (end < 0) return { end, needed: octets.length }
    const [, size] = /\{(\d+)\}$/.exec(octets.slice(Math.max(from, end - 24), end)) ?? []
    if (size === undefined) return { end, needed: 0 }
    from = end + 2 + Number(size)
    if (from > octets.length) return { end: -1, needed: from }
  }
}
