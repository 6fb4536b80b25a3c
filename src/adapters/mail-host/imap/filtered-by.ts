import type { Applied } from '#/ports/mail-host.ts'

/** IMAP has no place beside a message for what its filters did, so it stands in front of it, in a field that nobody else
 *  is shown. */
const name = 'X-Mailroom-Filtered-By'

/** The field to put before a message; empty where no filter acted. */
export function filteredByField(applied: readonly Applied[]): Buffer {
  if (applied.length === 0) return Buffer.alloc(0)
  const lines =
    Buffer.from(JSON.stringify(applied))
      .toString('base64')
      .match(/.{1,72}/g) ?? []
  return Buffer.from(`${name}: ${lines.join('\r\n ')}\r\n`)
}

/** What filters did, and where the message itself begins. The field counts only as the very first: a message that comes
 *  from elsewhere begins with what receiving it put there. */
export function readFilteredBy(bytes: Buffer): { filteredBy: readonly Applied[]; length: number } {
  const none = { filteredBy: [], length: 0 }
  if (bytes.toString('latin1', 0, name.length + 2) !== `${name}: `) return none
  let end = name.length + 2
  do end = bytes.indexOf('\r\n', end) + 2
  while (end > 1 && bytes[end] === 0x20)
  if (end <= 1) return none
  try {
    const text = bytes.toString('latin1', name.length + 2, end)
    return { filteredBy: JSON.parse(Buffer.from(text, 'base64').toString()), length: end }
  } catch {
    return none
  }
}
