import { isIP } from 'node:net'
import type { Origin } from './envelope.ts'
import { Rejection } from './reply.ts'

/** The argument of XFORWARD, as Postfix documents it: attributes in xtext (RFC 3461 4), of which we take the address and
 *  the name of whoever brought the message. `known` is what was said before of the same message. Undefined as long as no
 *  address is known. Throws `Rejection`. */
export function parseForward(argument: string, known: Origin | undefined): Origin | undefined {
  let { address = '', helo = '' } = known ?? {}
  for (const attribute of argument.split(' ').filter(Boolean)) {
    const equals = attribute.indexOf('=')
    const name = attribute.slice(0, equals).toUpperCase()
    const value = unquoted(attribute.slice(equals + 1))
    const unknown = /^\[(UNAVAILABLE|TEMPUNAVAIL)\]$/i.test(value)
    if (name === 'ADDR') address = unknown ? '' : addressIn(value)
    else if (name === 'HELO') helo = unknown ? '' : value.slice(0, 255)
    else throw new Rejection(501, '5.5.4', 'XFORWARD takes ADDR and HELO')
  }
  return address === '' ? undefined : { address, helo }
}

function addressIn(value: string): string {
  const address = value.replace(/^IPV6:/i, '')
  if (isIP(address) === 0) throw new Rejection(501, '5.5.4', 'That is no address')
  return address
}

/** Throws `Rejection` for what could end a line. */
function unquoted(xtext: string): string {
  const text = xtext.replace(/\+([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (/[\x00-\x20\x7f-\u{10ffff}]/u.test(text)) throw new Rejection(501, '5.5.4', 'That value is not readable')
  return text
}
