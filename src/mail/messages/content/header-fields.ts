import { isUtf8 } from 'node:buffer'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import type { Field } from '#/formats/mime/header/lines.ts'
import type { Stored } from '#/mail/store/read.ts'
import type { HeaderFieldsOut } from '../schemas.ts'

/** The largest part of a header that is shown. The rest is in the message itself. */
const mostBytes = 256 << 10
const mostFields = 1_000

/** A message's header fields in order. Reads only the beginning of the message. */
export async function headerFieldsOf({ summary: { sizeBytes }, pieces }: Stored): Promise<HeaderFieldsOut> {
  const head = await beginning(pieces())
  const { headers, bodyStart } = readHeaders(head, 0, head.length, mostFields)
  const complete = headers.complete && (bodyStart < head.length || head.length === sizeBytes)
  // The last one may be incomplete.
  const whole = complete || headers.fields.at(-1)?.end !== head.length ? headers.fields : headers.fields.slice(0, -1)
  const data = whole.map((field) => {
    const name = head.toString('latin1', field.start, field.start + field.name.length)
    return { name, raw: writtenIn(head, field), value: headers.textOf(field).toWellFormed() }
  })
  return { data, complete }
}

async function beginning(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    read.push(piece)
    length += piece.length
    if (length >= mostBytes) break
  }
  return Buffer.concat(read, Math.min(length, mostBytes))
}

/** UTF-8, or one character per octet. Without blanks at its ends, which a regular expression finds in quadratic time. */
function writtenIn(bytes: Buffer, { valueStart, end }: Field): string {
  let [from, to] = [valueStart, end]
  while (from < to && isBlank(bytes[from])) from++
  while (to > from && isBlank(bytes[to - 1])) to--
  const written = bytes.subarray(from, to)
  return written.toString(isUtf8(written) ? 'utf8' : 'latin1')
}

function isBlank(octet: number | undefined): boolean {
  return octet === 0x20 || octet === 0x09
}
