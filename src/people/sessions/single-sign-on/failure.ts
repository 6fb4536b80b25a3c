/** Why a sign-in or a confirmation at a provider failed, in the page's terms. */
export const failures = [
  /** No request waits for this answer: it is late, repeated, or from another browser. */
  'expired',
  /** The provider, or the person there, refused. */
  'refused',
  /** The provider did not answer. */
  'unavailable',
  /** The answer is not a valid one to the request. */
  'invalid',
  /** The provider names no verified address. */
  'no_address',
  /** No member has the address. */
  'no_member',
  /** The address belongs to a member who is another person at the provider. */
  'other_account',
  /** Another person confirmed, or the member did not sign in again. */
  'not_confirmed',
] as const

export type FailureReason = (typeof failures)[number]

export class SignOnFailure extends Error {
  readonly reason: FailureReason
  /** The page that shows the failure. */
  readonly page: string

  constructor(
    reason: FailureReason,
    { message = reason, page = '/sign-in' }: { message?: string; page?: string } = {},
  ) {
    super(message)
    this.name = 'SignOnFailure'
    this.reason = reason
    this.page = page
  }
}
