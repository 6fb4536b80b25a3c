import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { isUuid } from '#/base/text/text.ts'
import {
  type Counted,
  countWaiting,
  dropWaiting,
  listWaiting,
  type QueueFilter,
  retryAll,
  retryNow,
  type Waiting,
} from '#/out/queue/waiting.ts'
import { organizationOption } from '#/people/organizations/register.ts'
import { command } from '../command.ts'
import { minute, table } from '../table.ts'

/** The longest list. */
const mostShown = 1_000

const leavingHeadings = ['TO', 'FROM', 'ORGANIZATION', 'STATE', 'SINCE', 'TRIED', 'NEXT TRY', 'WHY', 'ID']
const countHeadings = ['DESTINATION', 'STATE', 'RECIPIENTS', 'OLDEST']

const filters = {
  org: { value: 'NAME', help: 'Only mail of this organization' },
  to: { value: 'WHO', help: 'Only recipients with this address, or of this domain: @there.example' },
  from: { value: 'WHO', help: 'Only mail from this envelope sender, or from this domain: @here.example' },
  state: { value: 'STATE', help: 'Only recipients in this state: waiting, sending, suspect' },
} as const

export const queueCommands = [
  command({
    name: 'queue',
    summary: 'List the outbound queue: how many wait for what, why, and when the next attempt is',
    operands: [],
    options: filters,
    run: async ({ database: { db } }, given) => {
      const wanted = await wantedBy(db, given)
      const [waiting, counts] = [await listWaiting(db, wanted, mostShown), await countWaiting(db, wanted)]
      const total = counts.reduce((sum, { recipients }) => sum + recipients, 0)
      const isWhole = Object.values(given).every((value) => value === undefined)
      const text =
        total === 0
          ? isWhole
            ? 'The outbound queue is empty.'
            : 'Nothing of that is in the outbound queue.'
          : `${table(leavingHeadings, waiting.map(row), '')}${others(total - waiting.length)}\n\n${table(countHeadings, counts.map(countRow), '')}`
      return { value: { data: waiting, total, counts }, text }
    },
  }),
  command({
    name: 'queue retry --all',
    summary: 'Attempt the delivery of everything that waits now, or of what the options name',
    operands: [],
    options: filters,
    run: async ({ database: { db } }, given) => {
      const retried = await retryAll(db, await wantedBy(db, given))
      return { value: { retried }, text: `Due at once, for ${recipients(retried)}.` }
    },
  }),
  command({
    name: 'queue retry',
    summary: 'Attempt the delivery of a message now',
    operands: ['id'],
    options: {},
    run: async ({ database: { db } }, { id }) => {
      const retried = await retryNow(db, messageId(id))
      if (retried === undefined) throw notFound('message in the queue')
      const text = retried === 0 ? 'It is being sent at this moment.' : `Due at once, for ${recipients(retried)}.`
      return { value: { id, retried }, text }
    },
  }),
  command({
    name: 'queue drop',
    summary: 'Remove a message from the queue, without a notice to its sender',
    operands: ['id'],
    options: {},
    run: async ({ database: { db } }, { id }) => {
      const gone = await db.transaction().execute((tx) => dropWaiting(tx, messageId(id)))
      if (!gone) throw notFound('message in the queue')
      const text =
        gone.dropped.length === 0 ? 'It is being sent at this moment.' : `Dropped for ${gone.dropped.join(', ')}.`
      return { value: { id, dropped: gone.dropped }, text }
    },
  }),
]

const states: ReadonlySet<string> = new Set<Waiting['state']>(['waiting', 'sending', 'suspect'])

async function wantedBy(
  db: Db,
  { org, to, from, state }: Readonly<Record<keyof typeof filters, string | undefined>>,
): Promise<QueueFilter> {
  if (state !== undefined && !states.has(state))
    throw invalid('state', `--state takes ${[...states].join(', ')}, not "${state}"`)
  const organizationId = await organizationOption(db, org)
  return { organizationId, to, from, state: state as Waiting['state'] | undefined }
}

function countRow({ destination, state, recipients, oldest }: Counted): string[] {
  return [destination ?? 'several', state, String(recipients), minute(oldest)]
}

function messageId(id: string): string {
  if (!isUuid(id)) throw invalid('id', `"${id}" is not an id; the last column of \`mailroom queue\` has them`)
  return id
}

function row(one: Waiting): string[] {
  const next = one.next_attempt_at === null ? 'now' : minute(one.next_attempt_at)
  const why = one.reason === null ? '-' : one.reply === null ? one.reason : `${one.reason} (${one.reply})`
  return [
    one.to,
    one.from || '<>',
    one.organization,
    one.state,
    minute(one.since),
    String(one.attempts),
    next,
    why,
    one.id,
  ]
}

function others(count: number): string {
  return count > 0 ? `\n… and ${count} more.` : ''
}

function recipients(count: number): string {
  return count === 1 ? '1 recipient' : `${count} recipients`
}
