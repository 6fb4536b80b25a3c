import { canonicalAddress } from '../address/address.ts'
import { parseAddresses } from '../address/address-list.ts'
import { isDaemon } from './report-fields.ts'

const mailbox = String.raw`[^\s<>"'()[\]:;,\\=]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z0-9-]{2,}`
const address = new RegExp(String.raw`(?:^|[\s<"'([:;,=])(${mailbox})`, 'gi')

/** A recipient, or several with commas, behind what names them: `RCPT TO:`, `Recipient address:`, `delivering your mail to`. */
const labelled = new RegExp(
  String.raw`\b(?:rcpt to|recipients?(?: address)?|(?:final|original)-recipient|addressed to|emailaddress|deliver(?:ed|able|ing|y)?(?: your (?:mail|message))? to|undeliverable to)\b[^@\n]{0,60}?[\s<"'([:;,=]((?:${mailbox}>?[\s,;]*<?)+)`,
  'gi',
)
/** Another name of the recipient before. */
const alias = /\((?:generated|expanded) from\b/i
/** A line that begins with an address, perhaps behind a reply's code. */
const beginning = /^[\s>*•"'-]*(?:(?:<<<\s*)?[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3} )?)?["'<]?[^\s<>"'@:]+@[^\s<>"'@]+/
const field = /^[\s>|]*([a-z][a-z-]{1,40})\s?:/i
const recipientFields = new Set(['to', 'cc', 'bcc', 'x-original-to', 'envelope-to', 'apparently-to'])
const otherFields =
  /^(?:from|sender|reply-to|return-path|references|in-reply-to|message-id|received|date|subject|sent|user-agent|errors-to|list-.*|x-.*|dkim-.*|arc-.*|authentication-results|mail from|original sender)$/i
/** Lines with addresses of those who help, and of senders. */
const others =
  /\b(?:contact|assistance|questions?|help|support|please (?:send|mail|forward)|mail from|original sender|sender)\b/i

/** The beginning of the quoted message, and of the protocol that some servers show before it. */
const transcript = /^[ \t>-]*(?<=---) ?transcript of/im
const quoted =
  /^[ \t>|-]*(?:(?<=---) ?(?:below this line|original message|this is a copy|the header of|returned message|unsent message|message (?:header|text)|enclosed|boundary)|original message(?: follows| headers?|:\s*$)|message headers? follow|below is a copy|your (?:original )?message (?:follows|header|reads)|the (?:original )?message (?:header|text) (?:follows|was)|received: (?:from|by|\())/im

/** The addresses in a server's words, in their order. */
interface Named {
  /** Where a recipient is expected. */
  readonly strong: readonly string[]
  readonly weak: readonly string[]
  /** Other names of strong ones. */
  readonly aliases: ReadonlyMap<string, string>
}

/** The words of a server, without the message that they quote. */
export function ownWords(text: string): string {
  const own = text.slice(0, quoted.exec(text)?.index)
  const before = own.slice(0, transcript.exec(own)?.index)
  return addressesIn(before).length > 0 ? before : own
}

/** The recipients that a server's text names, each by one name or several. `original` are those of the returned message, if it is returned.
 *  `ours` are addresses of the notice itself: its recipient sent the message, and counts only if he sent it to himself. */
export function recipientsNamed(
  text: string,
  original: ReadonlySet<string>,
  ours: ReadonlySet<string>,
): (readonly string[])[] {
  const own = ownWords(text)
  const { strong, weak, aliases } = named(own)
  const both = [...strong, ...weak]
  const known = (one: string) => original.has(one)
  const other = (one: string) => !ours.has(one) && (known(one) || !isDaemon(one))
  const expected = strong.filter(other)
  // Of a recipient that is written oddly a part may be read: then the returned message has the right one.
  const returned = both.filter((one) => known(one) && !ours.has(one))
  const isOdd = returned.length > 0 && !expected.some((one) => known(one) || aliases.has(one))
  const rest = own.length < text.length ? named(text.slice(own.length)).strong.filter(known) : []
  const choices = [
    isOdd ? returned : expected,
    weak.filter(other),
    both.filter(known),
    rest,
    original.size === 1 ? [...original] : [],
    strong.filter((one) => !isDaemon(one)),
  ]
  const found = new Set(choices.find((some) => some.length > 0))
  const [only] = original
  // The words name the notice's own recipient, where one is expected, and the returned message another: either may be rewritten.
  if (original.size === 1 && only !== undefined && !both.some(known) && found.has(only)) {
    return [[...new Set([only, ...strong.filter((one) => !isDaemon(one))])]]
  }
  return Array.from(found, (one) => [one, aliases.get(one) ?? one].filter((name, at) => at === 0 || name !== one))
}

function named(text: string): Named {
  const [strong, weak]: [string[], string[]] = [[], []]
  const aliases = new Map<string, string>()
  for (const line of text.split(/\r\n?|\n/)) {
    const found = addressesIn(line)
    const [first] = found
    if (first === undefined) continue
    const [, name = ''] = field.exec(line) ?? []
    const [last] = strong.slice(-1)
    const expected = Array.from(line.matchAll(labelled), ([, list = '']) => addressesIn(list)).flat()
    if (alias.test(line)) {
      if (last === undefined) strong.push(first)
      else aliases.set(last, first)
    } else if (expected.length > 0) strong.push(...expected)
    else if (otherFields.test(name) || recipientFields.has(name.toLowerCase())) continue
    else if (beginning.test(line)) {
      strong.push(first)
      weak.push(...found.slice(1))
    } else if (!others.test(line)) weak.push(...found)
  }
  return { strong, weak, aliases }
}

/** The recipients of a message that is quoted in a text. */
export function quotedRecipients(text: string): string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => {
    const [start = '', name = ''] = field.exec(line) ?? []
    if (!recipientFields.has(name.toLowerCase())) return []
    return parseAddresses(line.slice(start.length)).flatMap((one) => canonicalAddress(one.address) ?? [])
  })
}

function addressesIn(text: string): string[] {
  return Array.from(text.matchAll(address), ([, one = '']) => canonicalAddress(one)).filter((one) => one !== undefined)
}
