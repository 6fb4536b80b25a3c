import type { Address } from '../../../api/generated.ts'

/** Separates what was typed or pasted into a field of recipients. Commas in quotes and in angle brackets do not count. */
export function splitAddresses(text: string): string[] {
  const parts = text.match(/(?:"(?:\\.|[^"\\])*"|<[^>]*>|[^,;\n"<]|["<])+/g) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** The address itself: of `Ann <ann@example.com>`, what is in the brackets. */
export function bare(written: string): string {
  return (/<([^<>]*)>\s*$/.exec(written)?.[1] ?? written).trim()
}

/** The name beside the address, or the address. */
export function shortName(written: string): string {
  const name = written.replace(/<[^<>]*>\s*$/, '').trim()
  return name.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1') || bare(written)
}

/** Whether it may be an address. The service knows better; this finds what is not finished. */
export function looksRight(written: string): boolean {
  return /^[^\s@<>]+@[^\s@<>.]+(?:\.[^\s@<>.]+)*$/.test(bare(written))
}

export function written({ name, address }: Address): string {
  // Marks that turn the direction of text, and line breaks, are in no name that is sent on.
  const clean = name.replace(/[\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  if (clean === '' || clean === address) return address
  return `${/^[\p{L}\p{N} ._'-]+$/u.test(clean) ? clean : `"${clean.replace(/[\\"]/g, '\\$&')}"`} <${address}>`
}
