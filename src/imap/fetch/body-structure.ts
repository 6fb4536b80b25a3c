import type { WrittenParameters } from '#/formats/mime/entity/content-fields.ts'
import type { Entity } from '#/formats/mime/entity/entity.ts'
import type { Envelope } from '#/formats/mime/entity/envelope.ts'
import type { EnvelopeAddress } from '#/formats/mime/entity/envelope-addresses.ts'
import { octetNstring, octetString } from './octet-text.ts'

/** How a structure is told. */
export interface Telling {
  /** BODYSTRUCTURE: with the extension data, which BODY has not. */
  readonly isExtended: boolean
  /** The client knows that message/global is a message too (RFC 9051, section 7.5.2): others read it as any file. */
  readonly knowsGlobal: boolean
}

/** An envelope (RFC 9051, section 7.5.2), one character an octet. */
export function envelopeText(envelope: Envelope): string {
  const { from, sender, replyTo, to, cc, bcc } = envelope
  const lists = [from, sender, replyTo, to, cc, bcc].map(addressList).join(' ')
  const [date, subject] = [octetNstring(envelope.date), octetNstring(envelope.subject)]
  return `(${date} ${subject} ${lists} ${octetNstring(envelope.inReplyTo)} ${octetNstring(envelope.messageId)})`
}

function addressList(addresses: readonly EnvelopeAddress[]): string {
  if (addresses.length === 0) return 'NIL'
  return `(${addresses.map((address) => `(${address.map(octetNstring).join(' ')})`).join('')})`
}

/** A body structure (RFC 9051, section 7.5.2), one character an octet. */
export function structureText(entity: Entity, telling: Telling): string {
  const { parts, subtype } = entity
  if (parts.length > 0) {
    const children = parts.map((part) => structureText(part, telling)).join('')
    const extension = telling.isExtended ? ` ${parameterList(entity.parameters)}${shared(entity)}` : ''
    return `(${children} ${octetString(subtype)}${extension})`
  }
  const said = [
    ...[octetString(entity.type), octetString(subtype), parameterList(entity.parameters)],
    ...[octetNstring(entity.id), octetNstring(entity.description), octetString(entity.encoding)],
    ...[entity.end - entity.start, ...ofType(entity, telling)],
  ]
  const extension = telling.isExtended ? ` ${octetNstring(entity.md5)}${shared(entity)}` : ''
  return `(${said.join(' ')}${extension})`
}

/** What only texts and enclosed messages have. */
function ofType({ type, subtype, message, lines }: Entity, telling: Telling): (string | number)[] {
  const isTold = message && (telling.knowsGlobal || !/^global$/i.test(subtype))
  if (isTold) return [envelopeText(message.envelope), structureText(message.root, telling), lines]
  return /^text$/i.test(type) ? [lines] : []
}

/** The extension data that all bodies end with. */
function shared({ disposition, language, location }: Entity): string {
  const disposed = disposition ? `(${octetString(disposition[0])} ${parameterList(disposition[1])})` : 'NIL'
  const spoken = language.length > 0 ? `(${language.map(octetString).join(' ')})` : 'NIL'
  return ` ${disposed} ${spoken} ${octetNstring(location)}`
}

function parameterList(parameters: WrittenParameters): string {
  if (parameters.length === 0) return 'NIL'
  return `(${parameters.map(([name, value]) => `${octetString(name)} ${octetString(value)}`).join(' ')})`
}
