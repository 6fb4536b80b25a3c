import type { Address } from '../../../api/generated.ts'

/** Splits text that was typed or pasted into a field of recipients. Commas in quotes and in angle brackets do not count. */
export function splitAddresses(text: string): string[] {
  const parts = text.match(/(?:"(?:\\.|[^"\\])*"|<[^>]*>|[^,;\n"<]|["<])+/g) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** The address itself: of `Ann <ann@example.com>`, the part in brackets. */
export function bare(written: string): string {
  return (/<([^<>]*)>\s*$/.exec(written)?.[1] ?? written).trim()
}

/** The name beside the address, or the address. */
export function shortName(written: string): string {
  const name = written.replace(/<[^<>]*>\s*$/, '').trim()
  return name.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1') || bare(written)
}

/** Whether it may be an address. The service decides; this finds unfinished ones. */
export function looksRight(written: string): boolean {
  return /^[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)*$/.test(bare(written))
}

export function written({ name, address }: Address): string {
  // Names that are sent have no bidirectional marks or line breaks.
  const clean = name.replace(/[\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  if (clean === '' || clean === address) return address
  return `${/^[\p{L}\p{N} ._'-]+$/u.test(clean) ? clean : `"${clean.replace(/[\\"]/g, '\\$&')}"`} <${address}>`
}
