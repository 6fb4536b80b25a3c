import { isUtf8 } from 'node:buffer'
import { isEmptyGroup, joinedWords, type Word } from '../address/address-words.ts'
import { ListReader, type WrittenMailbox } from '../address/list-reader.ts'

/** An address as an envelope has it: name, source route, local part, domain, one character an octet. The beginning of a group has its
 *  name for a local part, and no domain; its end has nothing (RFC 9051, section 7.5.2). */
export type EnvelopeAddress = readonly [
  name: string | null,
  route: string | null,
  mailbox: string | null,
  host: string | null,
]

/** Where a part lacks, since without it the entry would be a group's. As Dovecot writes it. */
const noMailbox = 'MISSING_MAILBOX'
const noHost = 'MISSING_DOMAIN'

/** Limit for a list, in octets. */
const MOST_TEXT = 256 * 1024
/** Tokens that may be read for the lists of one envelope: of some 8,000 addresses with names. The worst take 50 ms. */
export const mostTokens = 40_000
const LONGEST_NAME = 16 * 998

/** A space of other charsets, which a list must not be split at. */
const NBSP = /\xa0/g
const instead = '\ue0a0'

/** The addresses of a field's value, in octets. Names are as they are written, encoded words too, without quotes and escapes. What is
 *  behind the tokens that are left is left out. Never throws. */
export function envelopeAddresses(octets: string, left: { tokens: number }): EnvelopeAddress[] {
  const bytes = Buffer.from(octets.slice(0, MOST_TEXT), 'latin1')
  const inUtf8 = isUtf8(bytes)
  const text = inUtf8 ? bytes.toString() : bytes.toString('latin1').replace(NBSP, instead)
  const reader = new EnvelopeReader(text)
  while (left.tokens-- > 0 && reader.step());
  reader.endMailbox()
  reader.endGroup()
  const inOctets = (part: string | null) => {
    if (part === null) return null
    return inUtf8 ? Buffer.from(part).toString('latin1') : part.replaceAll(instead, '\xa0')
  }
  return reader.entries.map(([name, route, mailbox, host]) => {
    return [inOctets(name), inOctets(route), inOctets(mailbox), inOctets(host)] as const
  })
}

class EnvelopeReader extends ListReader {
  readonly entries: EnvelopeAddress[] = []
  #inGroup = false

  protected override mailbox({ words, comment, address, route }: WrittenMailbox): void {
    const name = joinedWords(words, LONGEST_NAME) || comment.trim().slice(0, LONGEST_NAME)
    if (isEmptyGroup(name, address)) {
      // What a server has added to an empty group has no local part: `;@mx.example`.
      if (!this.#inGroup && !address.startsWith('@')) this.entries.push(...emptyGroup(address || name))
    } else if (address !== '') this.entries.push([name || null, route || null, ...split(address)])
    else if (words.length === 1) this.entries.push([null, null, words[0]?.text ?? '', noHost])
    else if (name !== '') this.entries.push([name, null, noMailbox, noHost])
  }

  /** A group within a group cannot be told: its mailboxes are the outer one's. */
  protected override group(name: readonly Word[]): void {
    if (this.#inGroup) return
    this.#inGroup = true
    this.entries.push([null, null, joinedWords(name, LONGEST_NAME), null])
  }

  protected override endOfGroup(): void {
    this.endGroup()
  }

  endGroup(): void {
    if (this.#inGroup) this.entries.push([null, null, null, null])
    this.#inGroup = false
  }
}

/** At the last `@`, since a quoted local part may have one. */
function split(address: string): [mailbox: string, host: string] {
  const at = address.lastIndexOf('@')
  const local = at < 0 ? address : address.slice(0, at)
  const quoted = /^"([\s\S]*)"$/.exec(local)?.[1]
  return [quoted?.replace(/\\([\s\S])/g, '$1') || local || noMailbox, (at >= 0 && address.slice(at + 1)) || noHost]
}

/** `undisclosed-recipients:;`, in brackets or quotes. */
function emptyGroup(written: string): EnvelopeAddress[] {
  const name = written.replace(/^"/, '').replace(/:[\s\S]*$/, '')
  return [
    [null, null, name, null],
    [null, null, null, null],
  ]
}
