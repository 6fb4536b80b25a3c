// On a server: connections are cut.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { changingCommands } from '#/imap/changing/commands.ts'
import { folderCommands } from '#/imap/folders/commands.ts'
import { makeFolder } from '#/mail/store/make-folder.ts'
import { partsOn } from '#test/world/imap/heard-session.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { discrepanciesOfPrograms } from '../letters/stored.ts'
import { Dead, MortalDatabase } from './mortal-database.ts'

const stage = await Stage.ofFile({ ...changingCommands, ...folderCommands })

const begin = 'Plans next 1, inbox 1 2d 3 next 4'

/** A command of a mail program in INBOX, which has three messages, the second of them marked as deleted; and the folders after it. Where a command
 *  has several transactions, those between are named before. */
for (const [command, ...states] of [
  ['APPEND INBOX {a: b}', 'Plans next 1, inbox 1 2d 3 4 next 5'],
  ['APPEND INBOX {a: b} {c: d}', 'Plans next 1, inbox 1 2d 3 4 5 next 6'],
  ['REPLACE 1 INBOX {a: b}', 'Plans next 1, inbox 2d 3 4 next 5'],
  ['STORE 1:3 +FLAGS (\\Seen)', 'Plans next 1, inbox 1s 2sd 3s next 4'],
  ['STORE 1:3 FLAGS (work)', 'Plans next 1, inbox 1w 2w 3w next 4'],
  ['COPY 1:2 Archive', 'Plans next 1, archive 1 2d next 3, inbox 1 2d 3 next 4'],
  ['MOVE 1:2 Archive', 'Plans next 1, archive 1 2d next 3, inbox 3 next 4'],
  ['EXPUNGE', 'Plans next 1, inbox 1 3 next 4'],
  ['CLOSE', 'Plans next 1, inbox 1 3 next 4'],
  ['CREATE Later/Soon', 'Later/Soon next 1, Plans next 1, inbox 1 2d 3 next 4'],
  ['RENAME Plans Later', 'Later next 1, inbox 1 2d 3 next 4'],
  [
    'RENAME INBOX Old',
    'Old next 1, Plans next 1, inbox 1 2d 3 next 4',
    'Old 1 2d 3 next 4, Plans next 1, inbox next 4',
  ],
  ['DELETE Plans', 'inbox 1 2d 3 next 4'],
] as const)
  for (const when of ['before', 'after'] as const)
    test(`whichever statement a process dies ${when}, ${command} has happened or has not, and has if it was answered`, async () => {
      const end = states.at(-1)
      const found = new Set<string>()
      for (let at = 1, died = true; died; at++) {
        using scene = await inInbox()
        await using parts = partsOn({ ...stage.database, db: new MortalDatabase(stage.database, at, when).db })
        using session = scene.another(parts)
        session.select(scene.session.selected)
        const answer = await session.run(command).catch(isDead)
        died = answer === undefined
        const state = await there(scene)
        found.add(state)
        if (answer?.at(-1)?.startsWith('OK')) assert.equal(state, end)
        assert.ok(state === begin || (states as readonly string[]).includes(state), `statement ${at}: ${state}`)
        await assertNewUids(scene, state)
        assert.ok(at < 100, 'it ends')
      }
      if (when === 'after') found.add(begin)
      assert.deepEqual(found, new Set([begin, ...states]))
      assert.deepEqual(await discrepanciesOfPrograms(stage.database.db), [])
    })

async function inInbox(): Promise<Scene> {
  const scene = await stage.scene()
  await scene.add([{}, { deleted: true }, {}])
  await makeFolder(stage.db, scene.mailbox, 'Plans')
  await scene.session.run('SELECT INBOX')
  return scene
}

/** Folders with messages, or of a name that is not of the standard ones, each with its uids and the next. */
async function there({ mailbox }: Scene): Promise<string> {
  const { rows } = await sql<{ folder: string }>`
    select concat_ws(' ', folder.name, string_agg(message.uid || case when seen then 's' else '' end || case when deleted then 'd' else '' end
      || case when keywords = '{work}' then 'w' else '' end, ' ' order by message.uid), 'next', folder.uid_next) as folder
    from mail_folders folder left join mail_messages message on message.folder_id = folder.id
    where folder.mailbox_id = ${mailbox.mailboxId} and (folder.uid_next > 1 or folder.name ~ '^[A-Z]')
    group by folder.id order by folder.name collate "C"`.execute(stage.database.db)
  return rows.map(({ folder }) => folder).join(', ')
}

/** What comes next has uids that nothing had. */
async function assertNewUids(scene: Scene, before: string): Promise<void> {
  for (const folder of ['inbox', 'archive']) {
    const [, next = '1'] = new RegExp(`${folder} [^,]*next (\\d+)`).exec(before) ?? []
    await scene.add(1, { folder })
    assert.match(await there(scene), new RegExp(`${folder} [^,]*${next} next ${Number(next) + 1}`))
  }
}

function isDead(error: unknown): undefined {
  if (!(error instanceof Dead)) throw error
}
