/** A folder of a mailbox. */
export interface Place {
  /** Its address. */
  readonly mailbox: string
  readonly folder: string
}
