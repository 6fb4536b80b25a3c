export interface Standing {
  readonly status: 'pending' | 'verified' | 'failed'
  readonly ownership: Proof
  readonly receiving: Proof
  /** When the challenge began that is to be met: at enrolment, or when what was proven lapsed. */
  readonly challengedAt: Date
}

/** That the organization owns the domain, or that its mail is sent here. */
export interface Proof {
  /** Null where it is not proven, or no more. */
  readonly verifiedAt: Date | null
  /** The unbroken run of answers by which the record of a proof is not there any more; null where there is none. */
  readonly missing: { readonly since: Date; readonly times: number } | null
}

/** What a check has found of the records. Null where the look-up failed. */
export interface Seen {
  readonly ownership: boolean | null
  readonly receiving: boolean | null
  /** Another organization has proven the domain, and its proof has not lapsed. */
  readonly held: boolean
}

const hour = 3_600_000

/** How long a proof stands after its record was found to be gone (docs/reference/domains.md). */
export const grace = 72 * hour
/** By how many answers at least. */
const timesMissing = 3
/** How long a challenge lasts. */
export const challenge = 14 * 24 * hour

export const unproven: Proof = { verifiedAt: null, missing: null }

/**
 * Where an enrolment stands after a check. With both proofs it is `verified`. A look-up that failed changes nothing;
 * a record that is gone counts against its proof by three answers over 72 hours and no less. While another
 * organization's proof stands, ownership cannot be proven, whatever the DNS holds. A challenge that is not met
 * in 14 days has failed, which an answer has to say; `failed` is for good.
 */
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

/** What else the time of the next check depends on. */
export interface Progress {
  /** Records that are still to be published. */
  readonly outstanding: number
  /** When the newest signing keys were made, which are to be published then. */
  readonly keysMadeAt: Date | null
  /** How long the records may take to be published, in milliseconds. */
  readonly firstCheckAfter: number
}

/**
 * When to look again: every 5 minutes in the first hour, every 30 in the first two days, then every 6 hours; a domain
 * that is verified, daily, unless there is something that was asked for in the last two days and is not there yet. All
 * by up to a tenth more or less, so that domains enrolled together do not come due together for ever. A moment at which
 * a proof lapses or a challenge ends is not passed over. Null where there is nothing to wait for.
 * @param chance 0 to 1
 */
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
