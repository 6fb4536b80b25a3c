import { isIP } from 'node:net'
import type { Origin } from './envelope.ts'
import { Rejection } from './reply.ts'

/** Parses the argument of Postfix's XFORWARD: attributes in xtext (RFC 3461, section 4), of which ADDR and HELO are supported.
 *  `known` is from earlier commands. Undefined while no address is known. Throws `Rejection`. */
export function parseForward(argument: string, known: Origin | undefined): Origin | undefined {
  let { address = '', helo = '' } = known ?? {}
  for (const attribute of argument.split(' ').filter(Boolean)) {
    const equals = attribute.indexOf('=')
    const name = attribute.slice(0, equals).toUpperCase()
    const value = unquoted(attribute.slice(equals + 1))
    const unknown = /^\[(UNAVAILABLE|TEMPUNAVAIL)\]$/i.test(value)
    if (name === 'ADDR') address = unknown ? '' : addressIn(value)
    else if (name === 'HELO') helo = unknown ? '' : value.slice(0, 255)
    else throw new Rejection(501, '5.5.4', 'XFORWARD supports ADDR and HELO only')
  }
  return address === '' ? undefined : { address, helo }
}

function addressIn(value: string): string {
  const address = value.replace(/^IPV6:/i, '')
  if (isIP(address) === 0) throw new Rejection(501, '5.5.4', 'Invalid address')
  return address
}

/** Decodes xtext. Throws `Rejection` for control characters. */
function unquoted(xtext: string): string {
  const text = xtext.replace(/\+([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (/[\x00-\x20\x7f-\u{10ffff}]/u.test(text)) throw new Rejection(501, '5.5.4', 'Invalid xtext')
  return text
}
