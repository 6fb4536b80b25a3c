import type { tryFilters } from '../trial.ts'
import type { Plan } from './groups.ts'

/** A folder that a run goes through. */
export interface RunFolder {
  readonly mailboxId: string
  readonly address: string
  readonly folder: string
  /** Null until the run has looked at the folder. */
  readonly uidValidity: number | null
  readonly lastUid: number
  /** Done so far. */
  readonly uid: number
  readonly plan: Plan | null
}

/** A message that a preview found. */
export interface Sample extends ReturnType<typeof tryFilters> {
  /** As the run is read; null if the message is not there any more. */
  readonly id?: number | null
  readonly mailbox: string
  readonly folder: string
  readonly uid: number
  readonly subject: string
}
