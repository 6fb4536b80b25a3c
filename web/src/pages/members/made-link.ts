/** A new link, and the member whom it signs in. */
export interface MadeLink {
  readonly email: string
  readonly link: string
  /** It is being mailed to them. */
  readonly mailed: boolean
}
