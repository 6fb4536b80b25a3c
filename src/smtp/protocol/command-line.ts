import type { Line } from '#/smtp/connection/smtp-reader.ts'
import { splitCommand } from './mail-command.ts'
import { Rejection, type Reply, reply } from './reply.ts'

/** Splits a line into a command, in upper case, and its argument. Throws `Rejection` if the protocol has no such command. */
export function commandIn({ text, fault }: Line, protocol: 'SMTP' | 'LMTP'): [verb: string, argument: string] {
  if (fault === 'too long') throw new Rejection(500, '5.5.2', 'Line too long')
  if (fault) throw new Rejection(500, '5.5.2', 'Lines must end in CR LF')
  if (/[\x00-\x1f\x7f-\x9f\ufffd]/.test(text))
    throw new Rejection(501, '5.5.2', 'Command contains control characters or invalid UTF-8')
  const command = splitCommand(text)
  if ((ofOne.get(command[0]) ?? protocol) !== protocol) throw unknown()
  return command
}

/** Commands of only one of the two protocols (RFC 2033, section 4.1). */
const ofOne = new Map<string, 'SMTP' | 'LMTP'>([
  ['EHLO', 'SMTP'],
  ['HELO', 'SMTP'],
  ['LHLO', 'LMTP'],
  ['XFORWARD', 'LMTP'],
])

/** The reply to a command that has no effect. Throws `Rejection` for an unknown one. */
export function fixedReply(verb: string): Reply {
  switch (verb) {
    case 'NOOP':
      return reply(250, '2.0.0', 'OK')
    case 'HELP':
      return reply(214, '2.0.0', 'See RFC 5321')
    case 'VRFY': // VRFY need not verify (RFC 5321, section 7.3)
      return reply(252, '2.1.5', 'Cannot verify; send mail to find out')
    case 'EXPN':
    case 'BDAT':
    case 'ETRN':
      throw new Rejection(502, '5.5.1', 'Command not implemented')
    default:
      throw unknown()
  }
}

function unknown(): Rejection {
  return new Rejection(500, '5.5.1', 'Unknown command')
}

/** The client sent input before a reply that it had to wait for (RFC 2920, section 3.1). */
export const outOfSequence = reply(554, '5.5.0', 'Input sent before the reply')
