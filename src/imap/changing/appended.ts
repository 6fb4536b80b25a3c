import { nothingRead } from '#/mail/mailboxes/conceal.ts'
import type { Given } from '#/mail/store/append-given.ts'
import { LIMITS } from '#/smtp/connection/limits.ts'
import { Bad, No } from '../answers.ts'
import type { Session } from '../session/session.ts'
import type { Arguments, Octets } from '../wire/arguments.ts'
import { type GivenFlags, givenFlags } from './given-flags.ts'

/** A message of APPEND or REPLACE, as the client sends it. */
export interface Appended {
  readonly bytes: Buffer
  readonly given: GivenFlags
  readonly receivedAt: Date | undefined
}

/** The space and what follows: `(\Seen) "17-Jul-1996 02:44:25 -0700" {310}` (RFC 9051, section 6.3.12). Octets are taken as they are, NUL only in a
 *  literal8 (RFC 3516, section 4.4). */
export function readAppended(args: Arguments): Appended {
  args.space()
  let flags: string[] = []
  if (args.isNext('(')) {
    flags = args.list(() => args.flag())
    args.space()
  }
  let receivedAt: Date | undefined
  if (args.isNext('"')) {
    receivedAt = args.dateTime()
    args.space()
  }
  const { bytes, isBinary } = readOctets(args)
  if (!isBinary && bytes.includes(0)) throw new Bad('A message with NUL must be sent as a literal8')
  if (bytes.length === 0) throw new No('An empty message is none', 'CANNOT')
  if (bytes.length > LIMITS.messageSize) throw new No(`A message may have ${LIMITS.messageSize} octets`, 'TOOBIG')
  return { bytes, given: givenFlags(flags), receivedAt }
}

/** A literal, or `UTF8 (~{310}` and `)` (RFC 6855, section 4). */
function readOctets(args: Arguments): Octets {
  if (!args.isNext('U') && !args.isNext('u')) return args.octets()
  if (args.word() !== 'UTF8') throw new Bad('Expected a message')
  args.space()
  const [octets, another] = args.list(() => args.octets())
  if (!octets || another) throw new Bad('UTF8 has one message')
  return octets
}

/** A message as it is stored. Of one for a Private mailbox nothing is read: it is kept as the program gives it. */
export async function givenMessage(
  { parts: { reader, clock } }: Session,
  { bytes, given: { flags, keywords }, receivedAt }: Appended,
  { isPrivate }: { readonly isPrivate: boolean },
): Promise<Given> {
  const message = await reader.message(bytes)
  return {
    message: isPrivate ? { ...message, ...nothingRead } : message,
    receivedAt: receivedAt ?? new Date(clock.now()),
    seen: flags.has('seen'),
    flagged: flags.has('flagged'),
    answered: flags.has('answered'),
    forwarded: flags.has('forwarded'),
    deleted: flags.has('deleted'),
    draft: flags.has('draft'),
    keywords,
  }
}
