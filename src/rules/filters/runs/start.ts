import type { Actor } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { lockOwner } from '#/base/ownership/lock.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import type { Caller } from '#/http/access/caller.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import { folderName } from '#/mail/store/folder-name.ts'
import type { Filter } from '../filter.ts'
import { filterById, filtersOf } from '../queries.ts'
import { noCounts } from './counts.ts'
import { insertRun, mailboxesToRun, runningCount } from './queries.ts'
import { mostRunning, type RunFilter } from './run.ts'

export interface RunRequest {
  /** Undefined for all, in order. */
  readonly filterId: string | undefined
  /** Addresses; undefined for all mailboxes. */
  readonly mailboxes: readonly string[] | undefined
  readonly folders: readonly string[]
  readonly preview: boolean
}

/** Creates a run with the filters as they are now. A worker does the work. @throws Refusal */
export async function startRun(
  tx: Tx,
  { caller, owner, actor }: { caller: Caller; owner: Owner; actor: Actor },
  { filterId, mailboxes, folders, preview }: RunRequest,
): Promise<string> {
  await lockOwner(tx, owner)
  const filters = await filtersToRun(tx, owner, filterId)
  const mailboxIds = await mailboxIdsIn(tx, caller, owner, mailboxes)
  if (filters.length === 0) throw new Refusal('invalid_request', 'No filter is enabled')
  if ((await runningCount(tx, owner.organizationId)) >= mostRunning) throw tooMany()
  return insertRun(tx, owner, {
    filterId: filterId ?? null,
    filters: filters.map(({ id, name, field, op, value, action, argument }): RunFilter => {
      return { id, name, field, op, value, action, argument }
    }),
    preview,
    mailboxes: mailboxes ?? null,
    folders: [...new Set(folders.map(folderIn))],
    mailboxIds,
    counts: noCounts(filters.length),
    by: actor,
  })
}

/** A named filter runs even if disabled: so it can run once without acting on arriving mail. */
async function filtersToRun(tx: Tx, owner: Owner, filterId: string | undefined): Promise<Filter[]> {
  if (filterId === undefined) {
    return (await filtersOf(tx, owner)).filter(({ enabled, broken }) => enabled && broken === null)
  }
  const filter = await filterById(tx, owner, filterId)
  if (!filter) throw notFound('filter')
  if (filter.broken !== null) {
    throw new Refusal('invalid_request', 'The label of this filter is deleted', { fix: 'Change its argument first' })
  }
  return [filter]
}

async function mailboxIdsIn(
  tx: Tx,
  caller: Caller,
  owner: Owner,
  addresses: readonly string[] | undefined,
): Promise<string[]> {
  if (!addresses) {
    const ids = await mailboxesToRun(tx, caller, owner)
    if (ids.length === 0) throw invalid('mailboxes', 'You may change no mailbox that these filters act on')
    return ids
  }
  const ids = new Set<string>()
  for (const address of addresses) ids.add((await mailboxFor(tx, caller, 'change', address)).mailboxId)
  return [...ids]
}

function folderIn(given: string, index: number): string {
  try {
    return folderName(given)
  } catch (error) {
    throw error instanceof Refusal ? invalid(`folders[${index}]`, error.message, error.fix) : error
  }
}

function tooMany(): Refusal {
  return new Refusal('invalid_request', `${mostRunning} runs of filters are under way already`, {
    fix: 'Wait until one ends, or cancel one',
  })
}
