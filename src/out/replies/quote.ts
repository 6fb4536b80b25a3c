import type { Address } from '#/formats/mime/address/address.ts'
import { addressText } from '#/formats/mime/address/address-text.ts'
import { quoteLines } from './quote-lines.ts'
import type { Answered, Mode } from './rules.ts'

/** The most characters of a text that are quoted. */
export const mostQuoted = 256 * 1024

export interface Quoted extends Answered {
  /** The date of its Date field. */
  readonly date: string | null
  readonly text: string
}

/** The quoted text for an answer or a forwarded message, behind an empty line for the new text. */
export function quote(quoted: Quoted, mode: Mode): string {
  const text = quotable(quoted)
  if (mode === 'forward') return `\n\n${forwardedHeader(quoted)}\n\n${text}\n`
  return `\n\n${introduction(quoted)}\n${quoteLines(text)}\n`
}

/** As much of the text as is quoted. */
export function quotable({ text }: Quoted): string {
  return text.slice(0, mostQuoted).toWellFormed().trimEnd()
}

/** Author and date. */
export function introduction({ from, date }: Quoted): string {
  const who = from.map(addressText).join(', ') || 'somebody'
  return date === null ? `${who} wrote:` : `On ${readable(date)}, ${who} wrote:`
}

/** What is above the text of a forwarded message. */
export function forwardedHeader(quoted: Quoted): string {
  return `---------- Forwarded message ----------\n${headerOf(quoted)}`
}

function headerOf({ from, date, subject, to, cc }: Quoted): string {
  const fields: [string, string][] = [
    ['From', list(from)],
    ['Date', date === null ? '' : readable(date)],
    ['Subject', subject],
    ['To', list(to)],
    ['Cc', list(cc)],
  ]
  return fields.flatMap(([name, value]) => (value === '' ? [] : `${name}: ${value}`)).join('\n')
}

function list(addresses: readonly Address[]): string {
  return addresses.map(addressText).join(', ')
}

/** `Sat, 21 Nov 2026 11:00 UTC`: the reader's time zone is unknown. */
function readable(date: string): string {
  return new Date(date).toUTCString().replace(/:\d\d GMT$/, ' UTC')
}
