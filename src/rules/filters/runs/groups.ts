import type { Change } from '#/mail/store/change.ts'

/** Messages of a folder that are changed in the same way. */
export interface Group {
  readonly uids: readonly number[]
  readonly change: Change
}

/** The changes of a step that are not done. */
export interface Plan {
  readonly groups: readonly Group[]
  /** The next page of the folder begins above this uid. */
  readonly upTo: number
}
