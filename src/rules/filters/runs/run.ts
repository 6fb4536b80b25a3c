import type { Actor } from '#/base/audit/actor.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import type { Filter } from '../filter.ts'
import type { Counts } from './counts.ts'
import type { RunFolder, Sample } from './run-folder.ts'

/** A filter as it was when the run began. */
export type RunFilter = Pick<Filter, 'id' | 'name' | 'field' | 'op' | 'value' | 'action' | 'argument'>

export type RunState = 'running' | 'done' | 'cancelled' | 'failed'

/** Filters applied to stored mail. */
export interface Run {
  readonly id: string
  readonly filterId: string | null
  readonly filters: readonly RunFilter[]
  readonly preview: boolean
  /** Addresses, as asked; null: all mailboxes. */
  readonly mailboxes: readonly string[] | null
  readonly folders: readonly string[]
  readonly state: RunState
  readonly total: number | null
  readonly seen: number
  readonly counts: Counts
  readonly sample: readonly Sample[]
  /** The recorded change, for undo; null if nothing was changed. */
  readonly changeId: string | null
  readonly lastError: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** A run that this process has claimed. */
export interface ClaimedRun
  extends Pick<
    Run,
    'id' | 'filters' | 'preview' | 'state' | 'folders' | 'seen' | 'total' | 'counts' | 'sample' | 'changeId'
  > {
  readonly epoch: number
  readonly owner: Owner
  readonly by: Omit<Actor, 'address'>
  /** Attempts at the current step, this one included. */
  readonly attempts: number
}

/** The folder once its messages up to this uid are done. */
export function advanced(folder: RunFolder, upTo: number): RunFolder & { readonly done: boolean } {
  return { ...folder, uid: upTo, plan: null, done: upTo >= folder.lastUid }
}

/** How many messages of a preview are kept to be shown. */
export const mostSamples = 20
/** How many mailboxes and folders a run may name. */
export const mostNamed = 100
/** How many runs an organization may have at a time. */
export const mostRunning = 10
