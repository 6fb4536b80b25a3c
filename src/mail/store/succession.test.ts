// On both databases: connections copy and expunge the same messages at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy } from '#test/world/letters/letters.ts'
import { newDomain, newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { copyMessages } from './copy.ts'
import { expungeMarked, expungeMessages } from './expunge.ts'
import { type FolderRef, findFolder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { moveMessages } from './move.ts'
import { storeFlags } from './store-flags.ts'

const by: By = { kind: 'mail_program', id: null, name: '' }
const { db } = await databaseOfFile()

type Name = 'inbox' | 'archive' | 'trash' | 'elsewhere'

/** What a program does with the message 1 of the inbox, a step a word. */
class Program {
  readonly #folders: Readonly<Record<Name, FolderRef>>

  constructor(folders: Readonly<Record<Name, FolderRef>>) {
    this.#folders = folders
  }

  copy = (to: Name, from: Name = 'inbox') =>
    this.#do((tx) => copyMessages(tx, this.#folders[from], [1], this.#folders[to], by))
  move = (to: Name, from: Name) => this.#do((tx) => moveMessages(tx, this.#folders[from], [1], this.#folders[to], by))
  mark = (name: Name = 'inbox', deleted = true) =>
    this.#do((tx) => storeFlags(tx, this.#folders[name], [1], { deleted }, by))
  expunge = (name: Name = 'inbox') => this.#do((tx) => expungeMarked(tx, this.#folders[name], [1, 2], by))
  delete = () => expungeMessages(db, this.#folders.inbox.mailbox, 'inbox', [1])
  /** As if all was done so many minutes before. */
  wait = (minutes: number) =>
    sql`update mail_messages set saved_at = saved_at - make_interval(mins => ${minutes}),
      deleted_at = deleted_at - make_interval(mins => ${minutes})`.execute(db)

  async #do(step: (tx: Tx) => Promise<unknown>): Promise<void> {
    await db.transaction().execute(step)
  }
}

/** An inbox with a message, and other folders. */
async function begun() {
  const domain = await newDomain(db)
  const [ada, bob] = [await newMailbox(db, 'ada', domain), await newMailbox(db, 'bob', domain)]
  await storeCopies(db, [copy(ada)])
  const ref = async (mailbox: MailboxRef, name: string) => ({
    mailbox,
    folderId: (await findFolder(db, mailbox, name)).id,
  })
  const folders = {
    inbox: await ref(ada, 'inbox'),
    archive: await ref(ada, 'archive'),
    trash: await ref(ada, 'trash'),
    elsewhere: await ref(bob, 'inbox'),
  }
  const held = async (column: 'id' | 'email') => {
    const { rows } = await sql<{ folder: number; id: number; email: number }>`
      select folder_id as folder, id, coalesce(email_id, id) as email from mail_messages
      where folder_id = any(${Object.values(folders).map(({ folderId }) => folderId)}::bigint[])
      order by folder_id, uid`.execute(db)
    const nameOf = (id: number) => Object.entries(folders).find(([, { folderId }]) => folderId === id)?.[0]
    return rows.map((row) => [nameOf(row.folder), row[column]])
  }
  return { program: new Program(folders), held, ada }
}

/** Where the message's id is at the end, and beside it other messages. */
for (const [what, work, at, others] of [
  [
    'copies, marks and expunges',
    async (p) => [await p.copy('archive'), await p.mark(), await p.expunge()],
    'archive',
    [],
  ],
  ['marks first', async (p) => [await p.mark(), await p.copy('archive'), await p.expunge()], 'archive', []],
  [
    'expunges an hour after it has copied and marked',
    async (p) => [await p.copy('archive'), await p.mark(), await p.wait(60), await p.expunge()],
    'archive',
    [],
  ],
  [
    'marks once more in the hour between',
    async (p) => [await p.copy('archive'), await p.mark(), await p.wait(60), await p.mark(), await p.expunge()],
    'archive',
    [],
  ],
  [
    'copies an hour before it marks',
    async (p) => [await p.copy('archive'), await p.wait(60), await p.mark(), await p.expunge()],
    undefined,
    ['archive'],
  ],
  [
    'takes the mark away, and marks an hour later',
    async (p) => [
      await p.copy('archive'),
      await p.mark(),
      await p.mark('inbox', false),
      await p.wait(60),
      await p.mark(),
      await p.expunge(),
    ],
    undefined,
    ['archive'],
  ],
  [
    'copies twice',
    async (p) => [await p.copy('archive'), await p.copy('trash'), await p.mark(), await p.expunge()],
    'trash',
    ['archive'],
  ],
  [
    'copied an hour before, and copies to the trash now',
    async (p) => [await p.copy('archive'), await p.wait(60), await p.copy('trash'), await p.mark(), await p.expunge()],
    'trash',
    ['archive'],
  ],
  [
    'moves the copy on',
    async (p) => [await p.copy('archive'), await p.move('trash', 'archive'), await p.mark(), await p.expunge()],
    undefined,
    ['trash'],
  ],
  ['copies within the folder', async (p) => [await p.copy('inbox'), await p.mark(), await p.expunge()], 'inbox', []],
  [
    'copies to another mailbox',
    async (p) => [await p.copy('elsewhere'), await p.mark(), await p.expunge()],
    undefined,
    ['elsewhere'],
  ],
  [
    'does so twice',
    async (p) => [
      ...[await p.copy('archive'), await p.mark(), await p.expunge()],
      ...[await p.copy('trash', 'archive'), await p.mark('archive'), await p.expunge('archive')],
    ],
    'trash',
    [],
  ],
  [
    'copies the copy, and moves message and copy on so',
    async (p) => [
      ...[await p.copy('archive'), await p.copy('trash', 'archive'), await p.mark(), await p.expunge()],
      ...[await p.mark('archive'), await p.expunge('archive')],
    ],
    'trash',
    [],
  ],
  [
    'copies the copy, and keeps it',
    async (p) => [await p.copy('archive'), await p.copy('trash', 'archive'), await p.mark(), await p.expunge()],
    'archive',
    ['trash'],
  ],
  [
    'copies the copy, and expunges the copy between them',
    async (p) => [
      ...[await p.copy('archive'), await p.copy('trash', 'archive'), await p.mark('archive')],
      await p.expunge('archive'),
    ],
    'inbox',
    ['trash'],
  ],
  ['copies only', async (p) => [await p.copy('archive')], 'inbox', ['archive']],
  [
    'copies, and somebody deletes for good',
    async (p) => [await p.copy('archive'), await p.delete()],
    undefined,
    ['archive'],
  ],
] as readonly (readonly [string, (program: Program) => Promise<unknown>, Name | undefined, readonly Name[]])[])
  test(`a program ${what}: the id is ${at ? `in ${at}` : 'gone'}, and what IMAP calls each stays as it was`, async () => {
    const { program, held } = await begun()
    const [[, id] = []] = await held('id')
    await work(program)
    const after = await held('id')
    const expected = [...(at ? [[at, true]] : []), ...others.map((name) => [name, false])]
    assert.deepEqual(after.map(([name, now]) => [name, now === id]).toSorted(), expected.toSorted())
    assert.deepEqual(new Set((await held('email')).map(([, email]) => email)), new Set([id]))
  })

test('the log says that the message has moved, and that its copy is no other message', async () => {
  const { program, held, ada } = await begun()
  const [[, id] = []] = await held('id')
  await program.copy('archive')
  const copied = (await held('id')).find(([name]) => name === 'archive')?.[1]
  await program.mark()
  await program.expunge()
  const { rows } = await sql<{ type: string; data: object }>`
    select type, data from events where mailbox_id = ${ada.mailboxId} and type like 'message.%'
    order by position, id offset 3`.execute(db)
  assert.deepEqual(rows, [
    { type: 'message.deleted', data: { id: copied, folder: 'archive', uid: 1 } },
    {
      type: 'message.changed',
      data: { id, folder: 'archive', uid: 1, moved_from: { id, folder: 'inbox', uid: 1 } },
    },
  ])
})

test('who copies, marks and expunges at once waits in no circle, and gives an id to one message', async () => {
  const { program, held } = await begun()
  const [[, id] = []] = await held('id')
  await Promise.all([program.copy('archive'), program.copy('trash'), program.mark(), program.copy('archive')])
  await Promise.all([
    program.expunge(),
    program.move('inbox', 'archive'),
    program.mark('trash'),
    program.expunge('trash'),
  ])
  const all = (await held('id')).map(([, one]) => one)
  assert.equal(new Set(all).size, all.length)
  assert.deepEqual(new Set((await held('email')).map(([, email]) => email)), new Set([id]))
})
