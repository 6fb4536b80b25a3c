import { invalid, notFound } from '#/errors.ts'
import { countSpooled, listSpooled, type Spooled } from '#/messages/spooled.ts'
import { countWaiting, dropWaiting, listWaiting, retryNow, type Waiting } from '#/queue/waiting.ts'
import { isUuid } from '#/text.ts'
import { command } from '../command.ts'
import { minute, table } from '../table.ts'

/** The longest list. */
const mostShown = 1_000

const leavingHeadings = ['TO', 'FROM', 'ORGANIZATION', 'STATE', 'SINCE', 'TRIED', 'NEXT TRY', 'WHY', 'ID']
const comingHeadings = ['MAILBOX', 'FOLDER', 'ORGANIZATION', 'SINCE', 'TRIED', 'NEXT TRY', 'WHY']

export const queueCommands = [
  command({
    name: 'queue',
    summary: 'List the outbound queue and the spool to the IMAP server: why mail waits, and when the next attempt is',
    operands: [],
    options: {},
    run: async ({ database: { db } }) => {
      const [waiting, total] = [await listWaiting(db, mostShown), await countWaiting(db)]
      const [spooled, spooledTotal] = [await listSpooled(db, mostShown), await countSpooled(db)]
      const leaving =
        table(leavingHeadings, waiting.map(row), 'The outbound queue is empty.') + others(total - waiting.length)
      const coming =
        spooledTotal === 0
          ? ''
          : `\n\nIn the spool to the IMAP server:\n${table(comingHeadings, spooled.map(spooledRow), '')}${others(spooledTotal - spooled.length)}`
      const value = { data: waiting, total, spool: { data: spooled, total: spooledTotal } }
      return { value, text: leaving + coming }
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

function spooledRow(one: Spooled): string[] {
  const why = one.reason ?? '-'
  const { mailbox, folder, organization, attempts } = one
  return [mailbox, folder, organization, minute(one.since), String(attempts), minute(one.next_attempt_at), why]
}

function others(count: number): string {
  return count > 0 ? `\n… and ${count} more.` : ''
}

function recipients(count: number): string {
  return count === 1 ? '1 recipient' : `${count} recipients`
}
