import { messageDate } from './date.ts'

/** Trace fields (RFC 5321, section 4.4) as whole header lines ending in CRLF, to prepend to a message. In texts from the client,
 *  characters that could end a line, a comment or a path are replaced, so that no input adds a field. No line has more than 998
 *  octets. */

export interface Reception {
  /** The client's name in HELO, EHLO or LHLO. */
  readonly helo: string
  readonly clientAddress: string
  /** The client's verified name in DNS, if it has one. */
  readonly clientName?: string | undefined
  /** Our own host name. */
  readonly by: string
  /** A protocol keyword registered with IANA: ESMTPS, UTF8SMTP, LMTP, … */
  readonly protocol: string
  readonly id: string
  /** TLS version and cipher. */
  readonly tls?: string | undefined
  /** The recipient, only if there is a single one, so that no Bcc is revealed (section 7.2). */
  readonly recipient?: string | undefined
  readonly at: Date
}

export function receivedField(reception: Reception): string {
  const { helo, clientAddress, clientName, by, protocol, id, tls, recipient, at } = reception
  const literal = clientAddress.includes(':') ? `IPv6:${clientAddress}` : clientAddress
  const clauses = [
    `Received: from ${hostName(helo)} (${clientName ? `${hostName(clientName)} ` : ''}[${hostName(literal)}])`,
    `by ${hostName(by)} with ${word(protocol)} id ${word(id)}${tls ? ` (${word(tls)})` : ''}`,
    recipient === undefined ? undefined : `for <${path(recipient)}>`,
  ]
  return `${clauses.filter((clause) => clause !== undefined).join('\r\n\t')};\r\n\t${messageDate(at)}\r\n`
}

/** The same without client and recipient, for the clear header of an encrypted message. */
export function bareReceivedField({ by, protocol, id, at }: Pick<Reception, 'by' | 'protocol' | 'id' | 'at'>): string {
  return `Received: by ${hostName(by)} with ${word(protocol)} id ${word(id)};\r\n\t${messageDate(at)}\r\n`
}

/** The envelope sender; empty for a null reverse-path. */
export function returnPathField(sender: string): string {
  return `Return-Path: <${path(sender)}>\r\n`
}

export function deliveredToField(mailbox: string): string {
  return `Delivered-To: ${path(mailbox)}\r\n`
}

/** A host name or address literal, whatever the client sent. */
function hostName(text: string): string {
  return text.slice(0, 255).replace(/[^A-Za-z0-9.:_[\]-]/g, '?') || '?'
}

function word(text: string): string {
  return text.slice(0, 255).replace(/[^A-Za-z0-9._+=/ -]/g, '?')
}

/** An address, in UTF-8 where it is that (RFC 6531). 320 octets are the longest there can be. */
function path(address: string): string {
  return address
    .slice(0, 320)
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029<>]/g, '?')
}
