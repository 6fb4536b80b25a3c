import { decodeBytes, manyLines } from '../charset.ts'
import { unflow } from './flowed.ts'
import type { Part } from './part.ts'
import { decodePart } from './transfer-encoding.ts'

/** Limit for conversions between HTML and text, and for undoing soft line breaks, in one message: half a MiB takes some 20 ms. */
export const mostTurned = 512 * 1024

/** Decodes a text part, with LF and without controls. `most` limits the bytes that are read. */
export function partText(raw: Buffer, part: Part, most?: number): string {
  const bytes = decodePart(raw, part, most)
  const charset = part.parameters.get('charset') ?? (part.type === 'text/html' ? metaCharset(bytes) : undefined)
  const text = manyLines(decodeBytes(bytes, charset))
  const flowed = part.type === 'text/plain' && part.parameters.get('format')?.toLowerCase() === 'flowed'
  return flowed && text.length <= mostTurned
    ? unflow(text, part.parameters.get('delsp')?.toLowerCase() === 'yes')
    : text
}

/** The charset that an HTML document declares in its first 1,024 bytes (HTML Living Standard, section 13.2.3.2). UTF-16 must be
 *  wrong, since `<meta` was found as bytes. */
function metaCharset(bytes: Buffer): string | undefined {
  for (const [tag] of bytes.toString('latin1', 0, 1_024).matchAll(/<meta\s[^>]*>/gi)) {
    const [, charset] = /[\s"';]charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(tag) ?? []
    if (charset !== undefined) return /^utf-16/i.test(charset) ? 'utf-8' : charset
  }
  return undefined
}
