import { invalid } from '#/base/errors.ts'
import { properName } from '#/base/text/text.ts'
import { isScope, type Scope, scopes } from '#/http/access/scopes.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import type { Restrictions } from './restrictions.ts'

/** A key as it can be shown. The key itself is shown once, when it is made, and not stored. */
export interface Key extends Restrictions {
  readonly id: string
  readonly name: string
  /** Its first eight and last four characters, to recognise it. */
  readonly prefix: string
  readonly last_four: string
  readonly scopes: readonly Scope[]
  readonly created_at: Date
  readonly expires_at: Date | null
  /** To the minute. */
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
}

/** A key's name for people: `mrk_k3Ld…9xQa Shop`. */
export function keyShown({ prefix, last_four, name }: Pick<Key, 'prefix' | 'last_four' | 'name'>): string {
  return `${prefix}…${last_four} ${name}`.trimEnd()
}

/** How many keys of an organization may be live: neither revoked nor expired. */
export const mostLiveKeys = 1_000

/** Trimmed, NFC, up to 64 code points; it may be empty. */
export function keyName(given: string): string {
  return given.trim() === '' ? '' : properName('name', given, 64)
}

/** `all`, or scopes separated by commas, each once and in the order of the vocabulary. */
export function scopesIn(text: string): Scope[] {
  if (text.trim() === 'all') return [...scopes]
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !isScope(word))
  if (unknown !== undefined)
    throw invalid('scopes', `No scope named "${unknown}"; there are: all, ${scopes.join(', ')}`)
  return scopes.filter((scope) => words.includes(scope))
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestDays = 3_650

/** When a key expires that is valid for `30m`, `12h` or `90d` from `now`, in milliseconds since the epoch. */
export function expiryAfter(text: string, now: number): Date {
  const [, count = '', unit = ''] = /^(\d{1,9})([mhd])$/.exec(text.trim()) ?? []
  const lifetime = Number(count) * (unitMs[unit] ?? 0)
  if (lifetime === 0)
    throw invalid('expires', `"${text}" is no lifetime: give a number of minutes, hours or days, as in 30m, 12h or 90d`)
  if (lifetime > longestDays * 86_400_000)
    throw invalid(
      'expires',
      `A key can live for at most ${longestDays}d`,
      'Leave it out for a key that does not expire',
    )
  return new Date(now + lifetime)
}

/** When a key expires, which must be in the future. @throws Refusal */
export function expiryAt(text: string, now: number): Date {
  const at = timestamp(text, 'expires_at')
  if (at.getTime() <= now) throw invalid('expires_at', 'That time has already passed')
  if (at.getTime() > now + longestDays * 86_400_000)
    throw invalid('expires_at', `A key can live for at most ${longestDays} days`)
  return at
}

export const keyStatuses = ['live', 'revoked', 'expired'] as const

/** The status of the key at `now`. */
export function keyStatus(
  { revoked_at, expires_at }: Pick<Key, 'revoked_at' | 'expires_at'>,
  now: number,
): (typeof keyStatuses)[number] {
  if (revoked_at) return 'revoked'
  return expires_at && expires_at.getTime() <= now ? 'expired' : 'live'
}
