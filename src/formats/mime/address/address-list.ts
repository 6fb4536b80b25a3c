import { oneLine } from '../charset.ts'
import { decodeText } from '../header/encoded-words.ts'
import type { Address } from './address.ts'
import { isEmptyGroup, joinedWords, type Word } from './address-words.ts'
import { ListReader, LONGEST, LONGEST_NAME, type WrittenMailbox } from './list-reader.ts'

/** Limits for a list. Real lists stay far below. A list of delimiters only takes 5 ms. */
const MOST_ADDRESSES = 1_000
const MOST_TOKENS = 20_000
const MOST_TEXT = 256 * 1024

/** The mailboxes of an address list (RFC 5322, section 3.4), in order, those of groups included, with decoded names. Accepts
 *  obsolete routes and comments, names without quotes, addresses without brackets, `;` for `,`, and any other fault. Never
 *  throws, does not recurse, and takes linear time. */
export function parseAddresses(value: string): Address[] {
  return readAddressList(value).addresses
}

/** The author among those whom From names: the first with an address. A comma in a name without quotes makes a name of its own, as in
 *  `Lee, Ann <ann@example.com>`. */
export function authorAmong(named: readonly Address[]): Address | undefined {
  return named.find(({ address }) => address !== '') ?? named[0]
}

/** An address list as we read it, and what another reader may make of it. */
export interface AddressList {
  readonly addresses: Address[]
  /** The names of groups, decoded. */
  readonly groups: readonly string[]
  /** Texts with an `@` that other readers may take for an address: unquoted names, comments and quoted strings that end elsewhere
   *  for a reader that ignores backslashes, and angle brackets with a route. */
  readonly strays: readonly string[]
  /** False if the list, or an address in it, is over the limits. */
  readonly complete: boolean
}

/** Like `parseAddresses`, with what that leaves out. */
export function readAddressList(value: string): AddressList {
  if (value === '') return { addresses: [], groups: [], strays: [], complete: true }
  const reader = new DecodingReader(value.slice(0, MOST_TEXT))
  let tokens = 0
  let more = true
  while (more && tokens++ < MOST_TOKENS && reader.addresses.length < MOST_ADDRESSES) more = reader.step()
  reader.endMailbox()
  const { addresses, groups, strays, tooLong } = reader
  return { addresses, groups, strays, complete: !more && !tooLong && value.length <= MOST_TEXT }
}

class DecodingReader extends ListReader {
  readonly addresses: Address[] = []
  readonly groups: string[] = []
  /** An address was left out. */
  tooLong = false

  protected override group(words: readonly Word[]): void {
    const name = decodeText(joinedWords(words, LONGEST_NAME))
    if (name !== '') this.groups.push(name.slice(0, LONGEST).toWellFormed())
  }

  protected override mailbox({ words, comment, address: written }: WrittenMailbox): void {
    const address = oneLine(written)
    const name = decodeText(joinedWords(words, LONGEST_NAME)) || decodeText(comment.slice(0, LONGEST_NAME))
    if (address.length > LONGEST) this.tooLong = true
    else if (isEmptyGroup(name, address)) this.mistakable(address, /@/)
    else if (address !== '' || name !== '') {
      this.addresses.push({ name: name.slice(0, LONGEST).toWellFormed(), address })
    }
  }
}
