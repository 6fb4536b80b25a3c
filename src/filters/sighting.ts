import { domainToUnicode } from 'node:url'
import { type Address, canonicalAddress } from '#/mime/address.ts'
import { foldCase } from '#/text.ts'
import type { Field } from './filter.ts'

/** What filters see of a message: each field readied once, however many filters then look at it. */
export type Sighting = Readonly<Record<Field, Seen>>

interface Seen {
  /** As the message says them: each display name and address, or the subject. */
  readonly texts: readonly string[]
  /** The same folded, one a line: what `contains` looks through. */
  readonly lines: string
  /** What `is` compares with: each canonical address or the folded subject, with the text that it stands for. */
  readonly whole: ReadonlyMap<string, string>
}

/** The decoded headers that filters look at. */
export interface SightedHeaders {
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

/** Made once for a message, then completed for each mailbox that it reaches (`reachedAt`). */
export function sight({ subject, sender, to, cc }: SightedHeaders): Sighting {
  return { from: seeAddresses(sender), to: seeAddresses([...to, ...cc]), subject: seeSubject(subject) }
}

/** The sighting with the envelope's recipient in `to`: how the message got here, which To may not say. */
export function reachedAt(sighting: Sighting, recipient: string): Sighting {
  const { to } = sighting
  const address = foldAddress(recipient)
  if (to.whole.has(address)) return sighting
  return {
    ...sighting,
    to: {
      texts: [recipient, ...to.texts],
      lines: `${fold(recipient)}\n${to.lines}`,
      whole: new Map(to.whole).set(address, recipient),
    },
  }
}

/** As `contains` compares: NFKC, any case, runs of white space as one space. */
export function fold(text: string): string {
  return foldCase(text.normalize('NFKC')).normalize('NFKC').replace(/\s+/g, ' ')
}

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
  return { texts: [subject], lines: fold(subject).slice(0, longest), whole: new Map([[foldWhole(subject), subject]]) }
}

function seeAddresses(addresses: readonly Address[]): Seen {
  const texts: string[] = []
  const folded: string[] = []
  const whole = new Map<string, string>()
  let length = 0
  for (const { name, address } of addresses) {
    if (address !== '') whole.set(foldAddress(address), address)
    if (length >= longest) continue
    for (const text of [name, address, ...readable(address)]) {
      if (text === '') continue
      texts.push(text)
      folded.push(fold(text))
      length += text.length + 1
    }
  }
  return { texts, lines: folded.join('\n').slice(0, longest), whole }
}

/** `ann@xn--bcher-kva.example` is also seen as `ann@bücher.example`, which is how people write it. */
function readable(address: string): string[] {
  if (!/@(?:.*\.)?xn--/i.test(address)) return []
  const at = address.lastIndexOf('@') + 1
  const domain = domainToUnicode(address.slice(at))
  return domain ? [address.slice(0, at) + domain] : []
}
