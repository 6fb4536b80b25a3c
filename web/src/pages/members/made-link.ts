/** A new link, and the member whom it signs in. */
export interface MadeLink {
  readonly email: string
  readonly link: string
  /** Whether the link is mailed to the member. */
  readonly mailed: boolean
}
