export interface Standing {
  readonly status: 'pending' | 'verified' | 'failed'
  readonly ownership: Proof
  readonly receiving: Proof
  /** When the current challenge began: at enrolment, or when a proof lapsed. */
  readonly challengedAt: Date
}

/** The proof that the organization owns the domain, or that its mail is sent here. */
export interface Proof {
  /** Null if it is not proven. */
  readonly verifiedAt: Date | null
  /** The unbroken sequence of answers without the record of a proof; null if there is none. */
  readonly missing: { readonly since: Date; readonly times: number } | null
}

/** The result of a check. Null for a failed lookup. */
export interface Seen {
  readonly ownership: boolean | null
  readonly receiving: boolean | null
  /** Another organization has a valid proof of the domain. */
  readonly held: boolean
}

const hour = 3_600_000

/** How long a proof is valid after its record was first absent (docs/reference/domains.md). */
export const grace = 72 * hour
/** The least number of such answers. */
const timesMissing = 3
/** The duration of a challenge. */
export const challenge = 14 * 24 * hour

export const unproven: Proof = { verifiedAt: null, missing: null }

/** The standing of an enrolment after a check. With both proofs it is `verified`. A failed lookup changes nothing. An absent
 *  record ends its proof after at least three answers over 72 hours. While another organization's proof is valid, ownership
 *  cannot be proven. A challenge without proof for 14 days has failed, which takes an answer; `failed` is final. */
export function standingAfter(before: Standing, seen: Seen, now: Date): Standing {
  if (before.status === 'failed') return before
  const ownership = seen.held ? unproven : proofAfter(before.ownership, seen.ownership, now)
  const receiving = proofAfter(before.receiving, seen.receiving, now)
  const verified = ownership.verifiedAt !== null && receiving.verifiedAt !== null
  const lapsed =
    (before.ownership.verifiedAt !== null && ownership.verifiedAt === null) ||
    (before.status === 'verified' && !verified)
  const challengedAt = lapsed ? now : before.challengedAt
  const timeUp = now.getTime() - challengedAt.getTime() >= challenge
  const failed = ownership.verifiedAt === null && seen.ownership !== null && timeUp
  return { status: failed ? 'failed' : verified ? 'verified' : 'pending', ownership, receiving, challengedAt }
}

function proofAfter(before: Proof, seen: boolean | null, now: Date): Proof {
  if (seen === null) return before
  if (seen) return { verifiedAt: before.verifiedAt ?? now, missing: null }
  if (before.verifiedAt === null) return unproven
  const missing = { since: before.missing?.since ?? now, times: (before.missing?.times ?? 0) + 1 }
  const lapsed = missing.times >= timesMissing && now.getTime() - missing.since.getTime() >= grace
  return lapsed ? unproven : { verifiedAt: before.verifiedAt, missing }
}

/** Other inputs for the time of the next check. */
export interface Progress {
  /** Whether records are still to be published. */
  readonly outstanding: number
  /** When the newest signing keys were made, whose records are to be published. */
  readonly keysMadeAt: Date | null
  /** How long publishing may take, in milliseconds. */
  readonly firstCheckAfter: number
}

/** The time of the next check: every 5 minutes in the first hour, every 30 in the first two days, then every 6 hours. A
 *  verified domain is checked daily, unless a record requested in the last two days is missing. Random jitter of up to a
 *  tenth separates domains that were enrolled together. The end of a proof or challenge is not passed over. Null if there is
 *  nothing to wait for. @param chance 0 to 1 */
export function nextCheck(standing: Standing, progress: Progress, now: Date, chance: number): Date | null {
  if (standing.status === 'failed') return null
  const at = now.getTime()
  const usual = at + pause(standing, progress, now) * (0.9 + 0.2 * chance)
  const deadlines = [
    standing.ownership.missing && standing.ownership.missing.since.getTime() + grace,
    standing.receiving.missing && standing.receiving.missing.since.getTime() + grace,
    standing.ownership.verifiedAt === null ? standing.challengedAt.getTime() + challenge : null,
  ].filter((deadline) => deadline !== null && deadline > at)
  return new Date(Math.round(Math.min(usual, ...(deadlines as number[]))))
}

function pause({ status, challengedAt }: Standing, progress: Progress, now: Date): number {
  const { outstanding, keysMadeAt, firstCheckAfter } = progress
  if (keysMadeAt?.getTime() === now.getTime()) return Math.min(firstCheckAfter, hour / 12)
  const age = now.getTime() - Math.max(challengedAt.getTime(), keysMadeAt?.getTime() ?? 0)
  if (status === 'verified' && (outstanding === 0 || age >= 48 * hour)) return 24 * hour
  if (age < hour) return hour / 12
  return age < 48 * hour ? hour / 2 : 6 * hour
}
