import type { Applied } from '#/ports/mail-host.ts'
import { isUuid } from '#/text.ts'

/** IMAP cannot store beside a message what filters did. So a field in front of the message has it, which readers of the API
 *  do not see. */
const name = 'X-Mailroom-Filtered-By'

/** The field in front of a message; empty if no filter acted. */
export function filteredByField(applied: readonly Applied[]): Buffer {
  if (applied.length === 0) return Buffer.alloc(0)
  const lines =
    Buffer.from(JSON.stringify(applied))
      .toString('base64')
      .match(/.{1,72}/g) ?? []
  return Buffer.from(`${name}: ${lines.join('\r\n ')}\r\n`)
}

/** What filters did, and where the message itself begins. The field counts only as the very first one, and in exactly our
 *  form. An arriving message begins with our trace fields, but whoever has the mailbox can append any message. */
export function readFilteredBy(bytes: Buffer): { filteredBy: readonly Applied[]; length: number } {
  const none = { filteredBy: [], length: 0 }
  if (bytes.toString('latin1', 0, name.length + 2) !== `${name}: `) return none
  let end = name.length + 2
  do end = bytes.indexOf('\r\n', end) + 2
  while (end > 1 && bytes[end] === 0x20)
  if (end <= 1) return none
  const filteredBy = appliedIn(bytes.toString('latin1', name.length + 2, end))
  return filteredBy ? { filteredBy, length: end } : none
}

/** Undefined for text that `filteredByField` never writes. */
function appliedIn(encoded: string): Applied[] | undefined {
  let read: unknown
  try {
    read = JSON.parse(Buffer.from(encoded, 'base64').toString())
  } catch {
    return undefined
  }
  if (!Array.isArray(read) || read.length === 0) return undefined
  const applied = read.map(appliedFrom)
  return applied.every((one) => one !== undefined) ? applied : undefined
}

function appliedFrom(read: unknown): Applied | undefined {
  if (typeof read !== 'object' || read === null) return undefined
  const { filter_id, name, action, argument, error, personal } = read as Record<string, unknown>
  if (typeof filter_id !== 'string' || typeof name !== 'string' || typeof action !== 'string') return undefined
  if (argument !== null && typeof argument !== 'string') return undefined
  if (error !== undefined && typeof error !== 'string') return undefined
  if (personal !== undefined && personal !== true) return undefined
  if (!isUuid(filter_id)) return undefined
  return { filter_id, name, action, argument, ...(error !== undefined && { error }), ...(personal && { personal }) }
}
