import { domainToUnicode } from 'node:url'
import { foldCase } from '#/base/text/text.ts'
import { normalized } from '#/base/text/unicode.ts'
import { type Address, canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Field } from './filter.ts'

/** The parts of a message that filters match, prepared once for all filters. */
export type FilterInput = Readonly<Record<Field, Seen>>

interface Seen {
  /** As in the message: each display name and address, or the subject. */
  readonly texts: readonly string[]
  /** The same, folded, one in each line: for `contains`. */
  readonly lines: string
  /** For `is`: each canonical address, or the folded subject, with its original text. */
  readonly whole: ReadonlyMap<string, string>
}

export interface FilteredHeaders {
  readonly subject: string
  /** Everyone in From and in Sender. */
  readonly sender: readonly Address[]
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
}

/**
 * `contains` looks at no more than this many characters of a field: the names and addresses of some 200 people. A
 * thousand filters made to be slow (V8 compares `aaa…ab` with `aaa…` at nearly every place) then take 40 ms, not
 * seconds. `is` looks at every address.
 */
const longest = 8_192

/** Prepared once for a message, then completed for each mailbox by `withRecipient`. */
export function filterInput({ subject, sender, to, cc }: FilteredHeaders): FilterInput {
  return { from: seeAddresses(sender), to: seeAddresses([...to, ...cc]), subject: seeSubject(subject) }
}

/** The same for headers of which only the fields that filters match are read. */
export function lazyFilterInput(read: {
  subject(): string
  sender(): readonly Address[]
  recipients(): readonly Address[]
}): FilterInput {
  let [from, to, subject]: (Seen | undefined)[] = []
  return {
    get from() {
      from ??= seeAddresses(read.sender())
      return from
    },
    get to() {
      to ??= seeAddresses(read.recipients())
      return to
    },
    get subject() {
      subject ??= seeSubject(read.subject())
      return subject
    },
  }
}

/** Adds the envelope's recipient to `to`, since the To field may not name it. */
export function withRecipient(input: FilterInput, recipient: string): FilterInput {
  const { to } = input
  const address = foldAddress(recipient)
  if (to.whole.has(address)) return input
  return {
    ...input,
    to: {
      texts: [recipient, ...to.texts],
      lines: `${fold(recipient)}\n${to.lines}`,
      whole: new Map(to.whole).set(address, recipient),
    },
  }
}

/** As `contains` compares: NFKC, any case, runs of white space as one space. */
export function fold(text: string): string {
  if (!unusual.test(text)) return text.toLowerCase()
  return normalized(foldCase(normalized(text, 'NFKC')), 'NFKC').replace(/\s+/g, ' ')
}

/** Characters that take more than a change of case to fold. */
const unusual = /[^ -~]| {2}/

/** As `is` compares subjects. */
export function foldWhole(text: string): string {
  return fold(text).trim()
}

/** As `is` compares addresses; what is no address is compared as a text. */
export function foldAddress(text: string): string {
  return canonicalAddress(text) ?? foldWhole(text)
}

function seeSubject(text: string): Seen {
  const subject = text.slice(0, longest)
  const lines = fold(subject).slice(0, longest)
  return seen({ texts: [subject], lines }, () => new Map([[foldWhole(subject), subject]]))
}

function seeAddresses(addresses: readonly Address[]): Seen {
  const texts: string[] = []
  const folded: string[] = []
  let length = 0
  for (const { name, address } of addresses) {
    if (length >= longest) break
    for (const text of [name, address, ...readable(address)]) {
      if (text === '') continue
      texts.push(text)
      folded.push(fold(text))
      length += text.length + 1
    }
  }
  const lines = folded.join('\n').slice(0, longest)
  const named = addresses.filter(({ address }) => address !== '')
  return seen({ texts, lines }, () => new Map(named.map(({ address }) => [foldAddress(address), address])))
}

/** `contains`, which most filters are, does without `whole`. */
function seen(contained: Omit<Seen, 'whole'>, wholeOf: () => Seen['whole']): Seen {
  let whole: Seen['whole'] | undefined
  return {
    ...contained,
    get whole() {
      whole ??= wholeOf()
      return whole
    },
  }
}

/** `ann@xn--bcher-kva.example` is also seen as `ann@bücher.example`, which is how people write it. */
function readable(address: string): string[] {
  if (!/@(?:.*\.)?xn--/i.test(address)) return []
  const at = address.lastIndexOf('@') + 1
  const domain = domainToUnicode(address.slice(at))
  return domain ? [address.slice(0, at) + domain] : []
}
