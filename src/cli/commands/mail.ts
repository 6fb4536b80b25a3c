import type { Db } from '#/db/schema.ts'
import { invalid, Refusal } from '#/errors.ts'
import {
  adoptMailHost,
  inDatabase,
  type MailHostName,
  mailHostNameOf,
  recordedMailHost,
} from '#/mailboxes/mail-host-name.ts'
import { type MoveReport, type MoveTarget, moveTargets } from '#/ports/mail-mover.ts'
import { command, type Operator } from '../command.ts'
import { grouped, mebibytes } from '../table.ts'

export const mailCommands = [
  command({
    name: 'mail move',
    summary: 'Move all mail to the server of MAILROOM_IMAP_URL, or into the database; TO is imap or database',
    operands: ['to'],
    options: {},
    run: async (operator, { to: given }, onProgress) => {
      const to = moveTargets.find((target) => target === given)
      if (!to) throw invalid('to', `Mail can be moved to imap or database, not to "${given}"`)
      const { db } = operator.database
      await using mover = await operator.mailMover(db)
      if (!mover) throw invalid('MAILROOM_IMAP_URL', 'MAILROOM_IMAP_URL names the server, and is not set')
      await assertServiceFollows(operator, to)
      const report = await mover.move(to, ({ messages, bytes, mailboxes, ofMailboxes }) =>
        onProgress(
          `Moved ${grouped(messages)} messages, ${mebibytes(bytes)}; ${mailboxes} of ${ofMailboxes} mailboxes are done`,
        ),
      )
      const renamed = await named(db, report.renamed)
      return { value: { ...report, renamed }, text: [summaryOf(report, to), ...renamed.map(renamedTo)].join('\n') }
    },
  }),
  command({
    name: 'mail adopt',
    summary: 'Accept the configured mail host as the one that has the mail, after its server was renamed or restored',
    operands: [],
    options: {},
    run: async ({ config, database: { db }, keyring }) => {
      // Fails with another secret.
      await keyring(db)
      const here = mailHostNameOf(config)
      const before = await adoptMailHost(db, here)
      const value = { mail_host: here, before: before ?? null }
      if (before === here) return { value, text: `Mail was already kept ${placed(here)}.` }
      return {
        value,
        text: `Mail is kept ${placed(here)} now${before === undefined ? '' : `, and no longer ${placed(before)}`}.`,
      }
    },
  }),
]

/** A running service on the embedded database would still use the old mail host. */
async function assertServiceFollows({ own, database: { db }, config }: Operator, to: MoveTarget): Promise<void> {
  if (own) return
  const { host } = await recordedMailHost(db)
  if (to === 'imap' && host === mailHostNameOf(config)) return
  throw new Refusal('invalid_request', 'The service is running on this data directory', { fix: 'Stop it first' })
}

async function named(db: Db, folders: MoveReport['renamed']) {
  const ids = folders.map(({ mailboxId }) => mailboxId)
  if (ids.length === 0) return []
  const rows = await db.selectFrom('mailboxes').select(['id', 'address']).where('id', 'in', ids).execute()
  const addresses = new Map(rows.map(({ id, address }) => [id, address]))
  return folders.map(({ mailboxId, folder, called }) => ({
    mailbox: addresses.get(mailboxId) ?? mailboxId,
    folder,
    called,
  }))
}

function renamedTo({ mailbox, folder, called }: Awaited<ReturnType<typeof named>>[number]): string {
  return `The folder ${JSON.stringify(folder)} of ${mailbox} is called ${JSON.stringify(called)} there.`
}

function summaryOf({ messages, bytes, digest, keywordsLost }: MoveReport, to: MoveTarget): string {
  const next = to === 'imap' ? 'with' : 'without'
  return [
    `Moved ${grouped(messages)} message${messages === 1 ? '' : 's'}, ${mebibytes(bytes)}; each was read back and compared.`,
    ...(messages > 0 ? [`Their digest is ${digest}.`] : []),
    ...(keywordsLost > 0 ? [`Not moved: ${grouped(keywordsLost)} keywords that are not valid for labels.`] : []),
    `Start every process ${next} MAILROOM_IMAP_URL now.`,
  ].join('\n')
}

function placed(host: MailHostName): string {
  return host === inDatabase ? 'in the database' : `on ${host}`
}
