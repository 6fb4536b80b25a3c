import { invalid } from '#/base/errors.ts'
import { canonicalAddress, isAddress, splitAddress, stripTag } from '#/formats/mime/address/address.ts'
import type { Caller } from '#/http/access/caller.ts'

/** Forwarding and auto-reply of a mailbox (docs/reference/forwarding.md). */
export interface Forwarding {
  readonly forwardEnabled: boolean
  /** In canonical form. */
  readonly forwardTo: string | null
  /** When it was last switched on. */
  readonly forwardSince: Date | null
  /** After this it counts as off. */
  readonly forwardUntil: Date | null
  /** When it was paused because its destination refused too many messages, and the last reply of the destination. */
  readonly pausedAt: Date | null
  readonly pausedBecause: string | null
  readonly replyEnabled: boolean
  /** Empty: `Auto: ` and the subject of the answered message. */
  readonly replySubject: string
  readonly replyBody: string
  readonly replySince: Date | null
  readonly replyUntil: Date | null
}

/** A change of settings. Absent ones stay. */
export interface Change {
  readonly forwardTo?: string | null
  readonly forwardEnabled?: boolean
  readonly forwardUntil?: Date | null
  readonly replySubject?: string
  readonly replyBody?: string
  readonly replyEnabled?: boolean
  readonly replyUntil?: Date | null
}

/** The mailbox whose settings change. */
export interface Configured {
  readonly address: string
  readonly private: boolean
  /** Its address and its aliases, in canonical form. */
  readonly addresses: readonly string[]
}

/** The settings after a change. Rules are checked on these, never on the change alone. @throws Refusal */
export function changed(before: Forwarding, change: Change, mailbox: Configured, now: Date): Forwarding {
  return { ...before, ...forwardHalf(before, change, mailbox, now), ...replyHalf(before, change, now) }
}

function forwardHalf(before: Forwarding, change: Change, mailbox: Configured, now: Date): Partial<Forwarding> {
  const forwardTo = change.forwardTo === undefined ? before.forwardTo : change.forwardTo
  const forwardUntil = change.forwardUntil === undefined ? before.forwardUntil : change.forwardUntil
  if (mailbox.private && (change.forwardEnabled || change.forwardTo)) {
    const field = change.forwardTo ? 'forward_to' : 'forward_enabled'
    throw invalid(field, `${mailbox.address} is a Private mailbox: its mail cannot be forwarded`)
  }
  if (change.forwardTo && reaches(mailbox, change.forwardTo)) {
    throw invalid('forward_to', `${mailbox.address} cannot be forwarded to itself`)
  }
  if (!change.forwardEnabled) {
    // Without a destination it is off.
    const forwardEnabled = before.forwardEnabled && change.forwardEnabled === undefined && forwardTo !== null
    return { forwardTo, forwardUntil, forwardEnabled }
  }
  if (forwardTo === null) throw invalid('forward_to', 'Forwarding needs a destination', 'Set forward_to first')
  assertAhead('forward_until', forwardUntil, now)
  return { forwardTo, forwardUntil, forwardEnabled: true, forwardSince: now, pausedAt: null, pausedBecause: null }
}

function replyHalf(before: Forwarding, change: Change, now: Date): Partial<Forwarding> {
  const { replySubject = before.replySubject, replyBody = before.replyBody } = change
  const replyUntil = change.replyUntil === undefined ? before.replyUntil : change.replyUntil
  const empty = replyBody.trim() === ''
  if (!change.replyEnabled) {
    const replyEnabled = before.replyEnabled && change.replyEnabled === undefined && !empty
    return { replySubject, replyBody, replyUntil, replyEnabled }
  }
  if (empty) throw invalid('reply_body', 'The auto-reply needs a text', 'Set reply_body first')
  assertAhead('reply_until', replyUntil, now)
  return { replySubject, replyBody, replyUntil, replyEnabled: true, replySince: now }
}

/** Who may not write to an address has no mailbox write there either. A half that somebody else has switched on can be
 *  switched off. @throws Refusal */
export function assertRecipients(caller: Caller, change: Change, after: Forwarding): void {
  const { forwardTo, forwardEnabled, forwardUntil, ...reply } = change
  const forwards = (forwardEnabled !== undefined || forwardUntil !== undefined) && after.forwardEnabled
  if ((forwardTo || forwards) && after.forwardTo !== null) caller.assertWritesTo(after.forwardTo, 'forward_to')
  if (Object.keys(reply).length > 0 && after.replyEnabled && !caller.writesToEverybody) {
    throw invalid('reply_enabled', 'This key may not send to everybody, and an auto-reply goes to every sender')
  }
}

/** A half that ends before it begins would seem to be on and do nothing. */
function assertAhead(field: string, until: Date | null, now: Date): void {
  if (until && until <= now) throw invalid(field, `${field} has already passed`, 'Set a later one, or null for no end')
}

/** The destination of forwarding, in canonical form. @throws Refusal */
export function destination(text: string): string {
  const address = isAddress(text.trim()) ? canonicalAddress(text) : undefined
  if (address !== undefined) return address
  if (/@.*[,;].*@/.test(text)) throw invalid('forward_to', 'forward_to takes one address, not several')
  throw invalid('forward_to', 'forward_to must be an address: ann@example.com')
}

/** Whether mail to the address, with or without a tag, arrives in this mailbox. */
export function reaches({ addresses }: Pick<Configured, 'addresses'>, address: string): boolean {
  const canonical = canonicalAddress(address)
  const { local, domain } = splitAddress(canonical ?? '') ?? { local: '', domain: '' }
  return (
    canonical !== undefined && (addresses.includes(canonical) || addresses.includes(`${stripTag(local)}@${domain}`))
  )
}

/** Whether a half is on at this time. */
export function inForce(enabled: boolean, until: Date | null, now: Date): boolean {
  return enabled && (until === null || until > now)
}
