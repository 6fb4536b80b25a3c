import { invalid } from '#/base/errors.ts'
import { parsePattern } from '#/formats/mime/address/address-pattern.ts'
import { perMinute } from '#/http/access/authorize.ts'
import { canonicalNetwork } from './networks.ts'

/** The restrictions of a key (docs/reference/keys.md); null for none. They never change. */
export interface Restrictions {
  /** Mailboxes by id, which may be deleted. */
  readonly mailbox_ids: readonly string[] | null
  /** Addresses and `@domains`, in canonical form. */
  readonly recipients: readonly string[] | null
  /** `192.0.2.0/24`, `2001:db8::/32`. */
  readonly networks: readonly string[] | null
  readonly requests_per_minute: number | null
}

export const unrestricted: Restrictions = {
  mailbox_ids: null,
  recipients: null,
  networks: null,
  requests_per_minute: null,
}

/** The most mailboxes, recipients or networks of a key. */
export const mostListed = 100

/** A list separated by commas, without duplicates. @throws Refusal naming the field */
export function listIn(field: string, text: string): string[] {
  const words = text.split(',').map((word) => word.trim())
  if (words.includes('')) throw invalid(field, `--${field} has an empty entry: give them with commas between`)
  const list = [...new Set(words)]
  if (list.length > mostListed) throw invalid(field, `--${field} takes at most ${mostListed}`)
  return list
}

/** @throws Refusal */
export function recipientsIn(text: string): string[] {
  return recipientsOf(listIn('recipients', text))
}

/** @throws Refusal */
export function recipientsOf(list: readonly string[]): string[] {
  return unique(list.map((text, at) => recipientPattern(text, `recipients[${at}]`)))
}

/** @throws Refusal */
export function networksIn(text: string): string[] {
  return networksOf(listIn('networks', text))
}

/** @throws Refusal */
export function networksOf(list: readonly string[]): string[] {
  return unique(list.map((text, at) => canonicalNetwork(text, `networks[${at}]`)))
}

/** @throws Refusal */
export function rateIn(text: string): number {
  const rate = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0
  if (rate > 0 && rate < perMinute.quota) return rate
  throw invalid('rate', `"${text}" is no rate: give the requests a minute, from 1 to ${perMinute.quota - 1}`)
}

/** An address or `@domain` in canonical form. @throws Refusal */
export function recipientPattern(text: string, field: string): string {
  const pattern = parsePattern(text)
  if (pattern !== undefined) return pattern
  throw invalid(field, `"${text}" is no recipient: give addresses and domains as in bob@example.com,@example.net`)
}

function unique(list: string[]): string[] {
  return [...new Set(list)]
}
