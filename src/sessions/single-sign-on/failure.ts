/** Why a sign-in or a confirmation at a provider opened nothing, in words for the page that says it. */
export const failures = [
  /** Nothing waits for this answer: it came late, a second time, or in another browser. */
  'expired',
  /** The provider, or the person there, refused. */
  'refused',
  /** The provider did not answer. */
  'unavailable',
  /** What came is not the provider's valid answer to what it was asked. */
  'invalid',
  /** The provider names no verified address. */
  'no_address',
  /** Nobody here has the address. */
  'no_member',
  /** The address is that of a member who is somebody else at the provider. */
  'other_account',
  /** Not who confirms: another member, or one who did not sign in anew. */
  'not_confirmed',
] as const

export type FailureReason = (typeof failures)[number]

export class SignOnFailure extends Error {
  readonly reason: FailureReason
  /** Where it is said. */
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
