import { canonicalAddress } from '../address/address.ts'
import { parseAddresses } from '../address/address-list.ts'
import type { Part } from '../body/part.ts'
import { partText } from '../body/part-text.ts'
import { leaves, readStructure } from '../body/structure.ts'
import { decodePart } from '../body/transfer-encoding.ts'
import { type Headers, readHeaders } from '../header/headers.ts'
import type { Message } from '../message.ts'
import { failuresInText } from './failure-text.ts'
import { isByServer, isGivenUp, type Words } from './failure-words.ts'
import { isDeliveryReport, isDeliveryStatus, isNotice, isReturned } from './report-fields.ts'
import { enhancedCodeIn, line, type Reported } from './reported.ts'

/** A delivery status notification (RFC 3464), or an older form of it. */
export interface DeliveryReport {
  readonly kind: 'delivery'
  readonly recipients: readonly Reported[]
}

/** A recipient's complaint (RFC 5965). */
export interface FeedbackReport {
  readonly kind: 'feedback'
  /** `abuse`, `fraud` and so on, in lower case. */
  readonly type: string
  /** The envelope senders that it names for the message, in canonical form. */
  readonly senders: readonly string[]
  /** The recipients that it names, in canonical form; often none. */
  readonly names: readonly string[]
}

/** Limits in bytes and counts for what is read of a report. */
const mostLookedAt = 256 * 1024
const mostFields = 64 * 1024
const mostRecipients = 200
/** Of notices in each other. */
const deepest = 3

/**
 * Reads a report about a message: by its delivery-status or feedback-report part, wherever a list or a scanner has wrapped it, else by
 * the words of servers that send no such part. Undefined for anything else. Never throws. Who sent the report, and whether it is
 * true, the reader must find out.
 */
export function readReport(
  message: Pick<Message, 'raw' | 'headers' | 'sender'>,
  depth = 0,
): DeliveryReport | FeedbackReport | undefined {
  const { raw, headers } = message
  const start = raw.subarray(0, mostLookedAt)
  const { bodyStart } = readHeaders(raw)
  const root = readStructure(start, headers, Math.min(bodyStart, start.length))
  const parts = [...leaves(root)].map(({ leaf }) => leaf)
  const feedback = parts.find(({ type }) => type === 'message/feedback-report')
  if (feedback) return feedbackIn(start, feedback, parts)
  const statuses = parts.filter(isDeliveryStatus)
  const text = parts.find(({ type }) => type === 'text/plain') ?? parts.find(({ type }) => type === 'text/html')
  const said = text ? partText(start, text, mostFields) : ''
  const words = { subject: headers.text('subject'), text: said }
  const recipients = statuses.flatMap((part) => recipientsIn(decodePart(start, part, mostFields).toString('latin1')))
  if (recipients.length > 0 && recipients.every(({ names }) => names.some(isUsual))) return delivery(recipients, words)
  // Reports of other kinds have a type: that a message was read, or fails DMARC.
  if (root.type === 'multipart/report' && statuses.length === 0 && !isDeliveryReport(root)) return undefined
  if (parts.some(({ type }) => type === 'message/disposition-notification')) return undefined
  const fields = /^(?:final|original)-recipient\s?:/im.test(said) && isByServer(message) ? recipientsIn(said) : []
  if (fields.some(({ names }) => names.length > 0)) return delivery(fields, words)
  const returned = parts.find(isReturned)
  const bytes = returned && decodePart(start, returned, mostLookedAt)
  const header = bytes && readHeaders(bytes).headers
  // A scanner's notice may hold the notice of another server.
  if (bytes && header && recipients.length === 0 && isByServer(message) && isNotice(header) && depth < deepest) {
    const sender = parseAddresses(header.all('from').join(',\n'))
    return readReport({ raw: bytes, headers: header, sender }, depth + 1)
  }
  const failures = failuresInText(message, said, header, mostRecipients)
  return delivery(named(recipients, failures), words)
}

/** Neither a command nor a file. */
function isUsual(name: string): boolean {
  return !/[\s|"]/.test(name)
}

/** A machine-readable part that names nobody, as one that names a command or a file, is about whom the words name. */
function named(recipients: readonly Reported[], failures: readonly Reported[]): readonly Reported[] {
  const [only] = recipients
  if (only === undefined) return failures
  const all = failures.filter(({ names }) => names.length > 0)
  return recipients.length === 1 && all.length > 0 ? all.map(({ names }) => ({ ...only, names })) : recipients
}

/** OpenSMTPD calls a delivery delayed whose time is over, with the status of that (RFC 3463, section 3.5). */
function delivery(recipients: readonly Reported[], words: Words): DeliveryReport | undefined {
  if (recipients.length === 0) return undefined
  const isOver = ({ action, status }: Reported) => action === 'delayed' && status === '4.4.7' && isGivenUp(words)
  const all = recipients.slice(0, mostRecipients)
  return { kind: 'delivery', recipients: all.map((one) => (isOver(one) ? { ...one, action: 'failed' } : one)) }
}

/** Groups of fields, with empty lines between: those of the message, and those of each recipient. Some servers write empty lines
 *  within a group, so a group goes on until one has named its recipient. */
function recipientsIn(fields: string): Reported[] {
  const groups = fields.trimStart().split(/\r?\n(?:[ \t]*\r?\n)+/)
  const read = groups.map((group) => readHeaders(Buffer.from(`${group}\r\n`, 'latin1')).headers)
  const reporting = read.map((fields) => typed(fields, 'reporting-mta')).find(Boolean) ?? null
  const merged: Headers[][] = []
  for (const fields of read) {
    const last = merged.at(-1)
    const named = fields.count('final-recipient') + fields.count('original-recipient') > 0
    if (named || last === undefined) merged.push([fields])
    else last.push(fields)
  }
  return merged.flatMap((group) => recipientOf(group, reporting) ?? [])
}

function recipientOf(group: readonly Headers[], reporting: string | null): Reported | undefined {
  const first = (name: string) => group.map((fields) => fields.first(name)).find((value) => value !== undefined)
  const all = (name: string) => group.flatMap((fields) => fields.all(name))
  const named = ['final-recipient', 'original-recipient', 'x-actual-recipient'].flatMap(all)
  if (named.length === 0) return undefined
  const said = first('diagnostic-code')
  const diagnostic = said === undefined ? null : line(afterType(said))
  const status = statusIn(first('status') ?? '', diagnostic)
  const remote = group.map((fields) => typed(fields, 'remote-mta')).find(Boolean)
  return {
    names: [...new Set(named.flatMap(namesIn))],
    action: actionOf(first('action') ?? '', status),
    ...{ status, diagnostic, server: remote ?? reporting },
  }
}

function actionOf(written: string, status: string | null): Reported['action'] {
  const word = /[a-z]+/i.exec(written)?.[0].toLowerCase()
  if (word !== undefined && /^(?:fail|expire|error|undeliver|bounce|reject)/.test(word)) return 'failed'
  if (word !== undefined) return /^(?:delay|defer)/.test(word) ? 'delayed' : 'other'
  return status?.startsWith('5') ? 'failed' : status?.startsWith('4') ? 'delayed' : 'other'
}

/** A status that says only "failed" yields to the one that the server said. */
function statusIn(field: string, diagnostic: string | null): string | null {
  const status = /[245]\.\d{1,3}\.\d{1,3}/.exec(field)?.[0] ?? null
  if (status !== null && !/^[245]\.0\.0$/.test(status)) return status
  return enhancedCodeIn(diagnostic ?? '') ?? status
}

/** `rfc822; ann@there.example` names Ann; so do her address in brackets and its xtext (RFC 3461, section 4). */
function namesIn(value: string): string[] {
  const text = afterType(value)
    .replace(/\([^()]*\)$/, '')
    .trimEnd()
  const decoded = text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const unicode = decoded.replace(/\\x\{([0-9A-Fa-f]{1,6})\}/g, (whole, hex: string) => {
    const point = Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
  return [text, decoded, unicode].flatMap((one) => addressIn(one) ?? [])
}

function addressIn(text: string): string | undefined {
  const [, bracketed] = /<([^<>]+)>/.exec(text) ?? []
  return canonicalAddress((bracketed ?? text).replace(/^(?:smtp|mailto):/i, '').trim())
}

function typed(fields: Headers, name: string): string | null {
  const value = fields.first(name)
  const [text = ''] = afterType(value ?? '').split('(', 1)
  return line(text) || null
}

/** `dns; mx.there.example` without its type. */
function afterType(value: string): string {
  return value.replace(/^\s*[\w/-]*\s*;\s*/, '').trim()
}

function feedbackIn(start: Buffer, part: Part, parts: readonly Part[]): FeedbackReport {
  const { headers } = readHeaders(decodePart(start, part, mostFields))
  const included = parts.find(isReturned)
  const about = included && readHeaders(decodePart(start, included, mostFields)).headers
  const senders = [...headers.all('original-mail-from'), ...(about?.all('return-path') ?? [])]
  const names = [...headers.all('original-rcpt-to'), ...headers.all('removal-recipient')]
  return {
    kind: 'feedback',
    type: /[a-z-]+/i.exec(headers.first('feedback-type') ?? '')?.[0].toLowerCase() ?? '',
    senders: addressesIn(senders),
    names: addressesIn(names),
  }
}

function addressesIn(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((text) => addressIn(afterType(text)) ?? []))]
}
