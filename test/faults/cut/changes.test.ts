// On a server: connections are cut.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { Foreground } from '#/base/event-loop/foreground.ts'
import { beginReplacing } from '#/mail/changes/begin.ts'
import { insertUndo } from '#/mail/changes/queries.ts'
import { recordedAtOnce } from '#/mail/changes/record.ts'
import { RunningChanges } from '#/mail/changes/running-changes.ts'
import { deleteFolder } from '#/mail/folders/delete-folder.ts'
import { folderStatuses } from '#/mail/store/folders.ts'
import { listMessages } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { updateIn } from '#/mail/store/update.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy } from '#test/world/letters/letters.ts'
import { newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { Dead, MortalDatabase } from './mortal-database.ts'

const database = await databaseOfFile()
const whole = processOn(database.db)
ofFile(whole.runningChanges)

interface Process {
  readonly db: Db
  readonly runningChanges: RunningChanges
}

function processOn(db: Db): Process {
  const log = pino({ level: 'silent' })
  return {
    db,
    runningChanges: new RunningChanges({ db, foreground: new Foreground(), log, together: 2 }),
  }
}

/** Folders, each with messages: their uids where they were stored, `f` where flagged, and keywords. */
async function shown(mailbox: MailboxRef): Promise<Record<string, string[]>> {
  const folders: Record<string, string[]> = {}
  for (const { name, total } of await folderStatuses(whole.db, mailbox)) {
    if (total === 0) continue
    const { messages } = await listMessages(whole.db, mailbox, name, { limit: 100, page: 0 })
    folders[name] = messages
      .map(({ subject, flagged, keywords }) => [subject, flagged ? 'f' : '', ...keywords].join(' '))
      .sort()
  }
  return folders
}

async function newBox(): Promise<MailboxRef> {
  const { db } = whole
  const mailbox = await newMailbox(db, 'ada')
  const copies = [...'AAA', ...'B'].map((folder) => copy(mailbox, { folder, keywords: ['old'] }))
  await storeCopies(db, copies)
  return mailbox
}

type Work = (process: Process, mailbox: MailboxRef) => Promise<unknown>

const replace =
  (other: string | null): Work =>
  async ({ db, runningChanges }, { organizationId, mailboxId }) => {
    const change = { organizationId, mailboxes: [mailboxId], by: byOperator }
    const id = await db.transaction().execute((tx) => beginReplacing(tx, change, { keyword: 'old', by: other }))
    await runningChanges.run(id)
  }

const star: Work = ({ db }, mailbox) => {
  const change = { ...mailbox, mailboxes: [mailbox.mailboxId], kind: 'messages', by: byOperator } as const
  const [alteration, recording] = [{ flagged: true, folder: 'B' }, recordedAtOnce(change)]
  return db
    .transaction()
    .execute((tx) => updateIn(tx, { mailbox, name: 'A' }, [1, 2, 3], alteration, byOperator, recording))
}

const undo: Work = async ({ db, runningChanges }, { organizationId }) => {
  const undone = (await changesOf(organizationId)).find(({ kind }) => kind !== 'undo')
  const id = await db.transaction().execute((tx) => insertUndo(tx, organizationId, undone?.id ?? '', byOperator))
  await runningChanges.run(id ?? assert.fail('it can be undone'))
}

async function changesOf(organizationId: string) {
  return await whole.db
    .selectFrom('changes')
    .select(['id', 'kind', 'state', 'messages', 'undone_by'])
    .where('organization_id', '=', organizationId)
    .orderBy('at', 'desc')
    .orderBy('id')
    .execute()
}

const unlessGone = (error: unknown) => {
  if ((error as { code?: unknown }).code !== 'not_found') throw error
}

const deletion: Work = (at, mailbox) => deleteFolder(at, mailbox, 'A', { moveTo: 'B', by: byOperator })

for (const [what, prepare, work] of [
  ['a folder is deleted', undefined, deletion],
  ['a keyword is removed', undefined, replace(null)],
  ['keywords are merged', undefined, replace('new')],
  ['messages are changed', undefined, star],
  ['the deletion of a folder is undone', deletion, undo],
  ['a merge is undone', replace('new'), undo],
] satisfies [string, Work | undefined, Work][])
  for (const when of ['before', 'after'] as const)
    test(`whichever statement a process dies ${when} while ${what}, the change ends, and its record is what it did`, async () => {
      for (let at = 1, died = true; died; at++) {
        const context = `${when} statement ${at}`
        const mailbox = await newBox()
        const first = await shown(mailbox)
        await prepare?.(whole, mailbox)
        const doomed = processOn(new MortalDatabase(database, at, when).db)
        died = await work(doomed, mailbox).then(() => false, isDead)
        await doomed.runningChanges[Symbol.asyncDispose]()
        // The lease of the dead process ends. Whoever got no answer asks again, and another process finds the change.
        await sql`update changes set leased_until = leased_until - interval '1 hour'`.execute(database.db)
        if (at % 2 === 0) await work(whole, mailbox).catch(unlessGone)
        await whole.runningChanges.processAll()
        if (at % 2 === 1) await work(whole, mailbox).catch(unlessGone)
        const changes = await changesOf(mailbox.organizationId)
        assert.deepEqual(new Set(changes.map(({ state }) => state)), new Set(['done']), context)
        if (work !== undo) {
          assert.notDeepEqual(await shown(mailbox), first, context)
          for (const { id } of changes) {
            const undoing = await database.db
              .transaction()
              .execute((tx) => insertUndo(tx, mailbox.organizationId, id, byOperator))
            await whole.runningChanges.run(undoing ?? assert.fail(context))
          }
        }
        // All that was done is on record, so that to undo it brings back what was there.
        assert.deepEqual(await shown(mailbox), first, context)
        assert.ok(at < 200, 'it ends')
      }
    })

function isDead(error: unknown): true {
  if (error instanceof Dead) return true
  throw error
}
