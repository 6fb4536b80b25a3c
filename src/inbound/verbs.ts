import { splitCommand } from './command.ts'
import { Rejection, type Reply, reply } from './reply.ts'
import type { Line } from './wire.ts'

/** A line as a command, in upper case, and its argument. Throws `Rejection` where it is none of this protocol. */
export function commandIn({ text, fault }: Line, protocol: 'SMTP' | 'LMTP'): [verb: string, argument: string] {
  if (fault === 'too long') throw new Rejection(500, '5.5.2', 'That line is too long')
  if (fault) throw new Rejection(500, '5.5.2', 'Lines must end in CR LF')
  if (/[\x00-\x1f\x7f-\x9f\ufffd]/.test(text)) throw new Rejection(501, '5.5.2', 'Control characters or no UTF-8')
  const command = splitCommand(text)
  if ((ofOne.get(command[0]) ?? protocol) !== protocol) throw unknown()
  return command
}

/** Commands that only one of the two protocols has (RFC 2033 4.1). */
const ofOne = new Map<string, 'SMTP' | 'LMTP'>([
  ['EHLO', 'SMTP'],
  ['HELO', 'SMTP'],
  ['LHLO', 'LMTP'],
  ['XFORWARD', 'LMTP'],
])

/** What is answered to a command of which nothing follows. Throws `Rejection` where there is none such. */
export function fixedAnswer(verb: string): Reply {
  switch (verb) {
    case 'NOOP':
      return reply(250, '2.0.0', 'Still here')
    case 'HELP':
      return reply(214, '2.0.0', 'RFC 5321 says how')
    case 'VRFY': // RCPT says whether an address is one; VRFY need not (RFC 5321 7.3)
      return reply(252, '2.1.5', 'Send it and see')
    case 'EXPN':
    case 'BDAT':
    case 'ETRN':
      throw new Rejection(502, '5.5.1', 'That is not offered here')
    default:
      throw unknown()
  }
}

function unknown(): Rejection {
  return new Rejection(500, '5.5.1', 'There is no such command')
}

/** Octets that had to wait for a reply came before it (RFC 2920 3.1): what they are meant to be is anyone's guess. */
export const outOfStep = reply(554, '5.5.0', 'You did not wait for the reply')
