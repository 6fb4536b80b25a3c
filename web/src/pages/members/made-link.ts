/** A link that was just made, and whom it signs in. */
export interface MadeLink {
  readonly email: string
  readonly link: string
  /** It is on its way to them by mail. */
  readonly mailed: boolean
}
