// On both databases: connections copy, move and expunge the same messages at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { indexText, mailboxMark } from '#/mail/search-index/index-text.ts'
import { claimUnindexed, readUnindexed, type Unindexed, writeWords } from '#/mail/search-index/queue.ts'
import { recountStorage } from '#/people/usage/recount.ts'
import { recountFolders } from '#/people/usage/recount-folders.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { whileHeld } from '#test/world/database/while-held.ts'
import { copy, letter, second } from '#test/world/letters/letters.ts'
import { idKey, newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { appendCopies } from './append-copies.ts'
import { appendGiven, replaceGiven } from './append-given.ts'
import { appendOne } from './append-one.ts'
import type { Change } from './change.ts'
import { copyMessages } from './copy.ts'
import type { Copy } from './copy-to-append.ts'
import { expungeMarked, expungeMessages, markedDeleted } from './expunge.ts'
import { type FolderRef, findFolder } from './folders.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { moveMessages } from './move.ts'
import { type ChangedFlags, storeFlags } from './store-flags.ts'
import { updateMessages } from './update.ts'

const by: By = { kind: 'mail_program', id: null, name: '' }
const { db } = await databaseOfFile()

interface Own {
  readonly mailbox: MailboxRef
  readonly inbox: FolderRef
  readonly archive: FolderRef
}

const given = { receivedAt: second(0), seen: false, flagged: false, keywords: [] }

for (const [what, held, change, marks, event] of [
  ['sets a flag', {}, { seen: true }, 'seen', { unread: false }],
  ['clears one', { seen: true, flagged: true }, { seen: false }, 'flagged', { unread: true }],
  ['marks as answered', {}, { answered: true }, 'answered', { answered: true }],
  ['marks as forwarded', {}, { forwarded: true }, 'forwarded', { forwarded: true }],
  ['takes a mark away', { answered: true }, { answered: false }, '', { answered: false }],
  ['marks as deleted, of which no reader needs to know more', {}, { deleted: true }, 'deleted', {}],
  ['marks as a draft', {}, { draft: true }, 'draft', {}],
  [
    'adds and removes keywords',
    { seen: true, keywords: ['home', 'work'] },
    { addKeywords: ['Paid', '$label1'], removeKeywords: ['WORK', 'never'] },
    'seen $label1 home paid',
    { added_labels: ['$label1', 'paid'], removed_labels: ['work'] },
  ],
  [
    'replaces all',
    { flagged: true, answered: true, keywords: ['home', 'work'] },
    {
      seen: true,
      flagged: false,
      answered: false,
      forwarded: false,
      deleted: true,
      draft: true,
      keywords: ['Work', 'paid'],
    },
    'seen deleted draft paid work',
    { unread: false, starred: false, answered: false, added_labels: ['paid'], removed_labels: ['home'] },
  ],
  ['moves the keywords of what becomes read', { keywords: ['work'] }, { seen: true }, 'seen work', { unread: false }],
  [
    'changes nothing that is so already',
    { seen: true, keywords: ['work'] },
    { seen: true, addKeywords: ['work'] },
    'seen work',
    undefined,
  ],
  ['leaves alone what has changed since', {}, { seen: true, unchangedSince: 1 }, '', undefined],
  ['changes what has not', {}, { seen: true, unchangedSince: 2 }, 'seen', { unread: false }],
] satisfies [string, Partial<Copy>, Change & { unchangedSince?: number }, string, object | undefined][]) {
  const { unchangedSince, ...flags } = { unchangedSince: undefined, ...change }
  test(`a STORE ${what}`, async () => {
    const { mailbox, inbox } = await own({}, held)
    const stored = await transaction((tx) => storeFlags(tx, inbox, [2, 3], flags, by, { unchangedSince }))
    const isModified = unchangedSince === 1
    assert.deepEqual(
      [[...stored.present], [...stored.modified], stored.modseq, stored.changed.map(written)],
      [[2], isModified ? [2] : [], 3, event ? [[2, 2, marks]] : []],
    )
    assert.deepEqual(await shown(inbox), [
      [1, 2, ''],
      [2, event ? 3 : 2, marks],
    ])
    assert.deepEqual(await events(mailbox, 'message.changed'), event ? [{ folder: 'inbox', uid: 2, ...event }] : [])
    await assertCounted()
  })
}

test('a copy shares the octets, has what the message had, an id of its own and the next uid', async () => {
  const { mailbox, inbox, archive } = await own(
    { seen: true, keywords: ['work'], draft: true },
    { answered: true, deleted: true },
  )
  const copied = await transaction((tx) => copyMessages(tx, inbox, [1, 2, 7], archive, by))
  assert.deepEqual(copied, { from: [1, 2], to: [1, 2] })
  assert.deepEqual(await shown(archive), [
    [1, 2, 'seen draft work'],
    [2, 2, 'answered deleted'],
  ])
  assert.equal(new Set([...(await ids(inbox)), ...(await ids(archive))]).size, 4)
  assert.deepEqual(await contents(mailbox), [2, 2])
  assert.deepEqual((await events(mailbox, 'message.received')).slice(2), [
    { folder: 'archive', uid: 1 },
    { folder: 'archive', uid: 2 },
  ])
  assert.deepEqual(await transaction((tx) => copyMessages(tx, inbox, [2, 1], inbox, by)), { from: [1, 2], to: [3, 4] })
  assert.deepEqual(await transaction((tx) => copyMessages(tx, inbox, [9], inbox, by)), { from: [], to: [] })
  await assertCounted()
})

test('a move keeps ids within a mailbox; another mailbox has other messages then', async () => {
  const { mailbox, inbox, archive } = await own({ keywords: ['work'] }, { flagged: true })
  const before = await ids(inbox)
  const move = async (from: FolderRef, uids: number[], to: FolderRef) => {
    const moved = await transaction((tx) => moveMessages(tx, from, uids, to, by))
    assert.deepEqual(Array.from(moved.ids), from === to ? [] : await ids(to))
    return [moved.from, moved.to, moved.modseq]
  }
  assert.deepEqual(await move(inbox, [1, 2], archive), [[1, 2], [1, 2], 4])
  assert.deepEqual(await ids(archive), before)
  assert.deepEqual(await move(archive, [2], archive), [[2], [2], 2])
  const other = await another(mailbox)
  assert.deepEqual(await move(archive, [1, 2], other.inbox), [[1, 2], [1, 2], 4])
  assert.deepEqual([await ids(archive), (await ids(other.inbox)).filter((id) => before.includes(id))], [[], []])
  assert.deepEqual(await shown(other.inbox), [
    [1, 2, 'work'],
    [2, 2, 'flagged'],
  ])
  assert.deepEqual(await events(mailbox, 'message.deleted'), [
    { folder: 'archive', uid: 1 },
    { folder: 'archive', uid: 2 },
  ])
  assert.equal((await events(other.mailbox, 'message.received')).length, 2)
  await assertCounted()
})

test('every event names its message by the id', async () => {
  const { mailbox, inbox, archive } = await own({}, {})
  const [one, two] = await ids(inbox)
  await transaction((tx) => storeFlags(tx, inbox, [1], { flagged: true }, by))
  await updateMessages(db, mailbox, 'inbox', [2], { seen: true, addKeywords: ['work'] })
  await updateMessages(db, mailbox, 'inbox', [2], { flagged: true })
  await transaction((tx) => copyMessages(tx, inbox, [1], archive, by))
  const [copied] = await ids(archive)
  await transaction((tx) => moveMessages(tx, inbox, [1], archive, by))
  await updateMessages(db, mailbox, 'inbox', [2], { folder: 'trash' })
  await transaction((tx) => appendGiven(tx, idKey, inbox, [{ ...given, message: readMessage(letter({})) }], by))
  const [stored] = await ids(inbox)
  await expungeMessages(db, mailbox, 'inbox', [3])
  const other = await another(mailbox)
  await transaction((tx) => moveMessages(tx, archive, [1], other.inbox, by))
  const [elsewhere] = await ids(other.inbox)
  const { rows } = await sql<{ type: string; id: number; from: number | null }>`
    select type, (data ->> 'id')::bigint as id, (data #>> '{moved_from,id}')::bigint as "from" from events
    where mailbox_id in (${mailbox.mailboxId}, ${other.mailbox.mailboxId}) and type like 'message.%' order by position, events.id`.execute(
    db,
  )
  assert.deepEqual(
    rows.map(({ type, id, from }) => [type.replace('message.', ''), id, from]),
    [
      ...[one, two].map((id) => ['received', id, null]),
      ...[one, two, two].map((id) => ['changed', id, null]),
      ['received', copied, null],
      ...[one, two].map((id) => ['changed', id, id]),
      ['received', stored, null],
      ['deleted', stored, null],
      ['deleted', copied, null],
      ['received', elsewhere, null],
    ],
  )
})

test('a move notes when a message came into its folder', async () => {
  const { inbox, archive } = await own({}, {})
  await sql`update mail_messages set saved_at = '2020-01-01' where folder_id = ${inbox.folderId}`.execute(db)
  await transaction((tx) => moveMessages(tx, inbox, [1], archive, by))
  await transaction((tx) => copyMessages(tx, inbox, [2], archive, by))
  const { rows } = await sql`
    select from mail_messages where folder_id = ${archive.folderId} and saved_at > '2026-01-01'`.execute(db)
  assert.equal(rows.length, 2)
})

test('only what bears the mark is expunged', async () => {
  const { mailbox, inbox } = await own({ deleted: true }, {}, { deleted: true, keywords: ['work'] })
  const marked = (isMeant?: (uid: number) => boolean) => Array.fromAsync(markedDeleted(db, inbox, isMeant))
  assert.deepEqual(
    [await marked(), await marked((uid) => uid > 1), await marked((uid) => uid > 3)],
    [[[1, 3]], [[3]], []],
  )
  assert.deepEqual(await transaction((tx) => expungeMarked(tx, inbox, [2, 3, 4], by)), { gone: 1, modseq: 3 })
  assert.deepEqual(await shown(inbox), [
    [1, 2, 'deleted'],
    [2, 2, ''],
  ])
  assert.deepEqual(await events(mailbox, 'message.deleted'), [{ folder: 'inbox', uid: 3 }])
  await assertCounted()
})

test('what a program stores has its flags, and takes the place of another', async () => {
  const { mailbox, inbox } = await own({}, {})
  const drafts = await ref(mailbox, 'drafts')
  const two = [1, 2].map((at) => ({ ...given, message: readMessage(letter({})), draft: true, deleted: at === 2 }))
  assert.deepEqual(await transaction((tx) => appendGiven(tx, idKey, drafts, two, by)), [1, 2])
  const message = { ...given, message: readMessage(letter({})), seen: true }
  assert.equal(await transaction((tx) => replaceGiven(tx, idKey, { ...drafts, uid: 1 }, drafts, message, by)), 3)
  assert.equal(await transaction((tx) => replaceGiven(tx, idKey, { ...drafts, uid: 1 }, inbox, message, by)), undefined)
  assert.deepEqual(await shown(drafts), [
    [2, 2, 'deleted draft'],
    [3, 4, 'seen'],
  ])
  assert.deepEqual(await events(mailbox, 'message.changed'), [
    { folder: 'drafts', uid: 1 },
    { folder: 'drafts', uid: 2 },
    { folder: 'drafts', uid: 3 },
  ])
  await assertCounted()
})

for (const [what, folder, more] of [
  ['a message', 'inbox', {}],
  ['a draft', 'drafts', { draft: true, seen: true }],
  ['one with all flags', 'archive', { seen: true, flagged: true, answered: true, forwarded: true, deleted: true }],
  ['one with keywords', 'archive', { keywords: ['work', 'Home'] }],
] as const)
  test(`${what} is stored by one statement as by a transaction`, async () => {
    const raw = letter({ From: 'Bob <bob@example.com>', References: '<one@example.com> <two@example.com>' })
    const message = { ...given, message: readMessage(raw), ...more }
    const [one, other] = [await own(), await own()]
    const called: PropertyKey[] = []
    const watched = new Proxy(db, {
      get(target, key) {
        called.push(key)
        return Reflect.get(target, key).bind(target)
      },
    })
    const stored = await appendOne(watched, idKey, { mailbox: one.mailbox, folder, isPrivate: false }, message, by)
    assert.deepEqual(called, ['getExecutor'])
    const at = await ref(one.mailbox, folder)
    assert.deepEqual(stored, { folderId: at.folderId, uid: 1 })
    const beside = await ref(other.mailbox, folder)
    assert.deepEqual(await transaction((tx) => appendGiven(tx, idKey, beside, [message], by)), [1])
    assert.deepEqual(await storedIn(at), await storedIn(beside))
    await assertCounted()
  })

for (const [what, folder, isPrivate, change] of [
  ['there is no such folder', 'Lost', false, sql`select from mailboxes where organization_id =`],
  [
    'the mailbox is Private',
    'inbox',
    false,
    sql`update mailboxes set kind = 'private', public_key = 'a key', public_key_usable_at = now() where organization_id =`,
  ],
  ['the mailbox is not Private', 'inbox', true, sql`select from mailboxes where organization_id =`],
  [
    'the organization is full',
    'inbox',
    false,
    sql`update organization_usage set storage_bytes = (select max(storage_bytes) from plans) where organization_id =`,
  ],
] as const)
  test(`one statement stores nothing where ${what} after all`, async () => {
    const { mailbox, inbox } = await own()
    await sql`${change} ${mailbox.organizationId}`.execute(db)
    const message = { ...given, message: readMessage(letter({})) }
    assert.equal(await appendOne(db, idKey, { mailbox, folder, isPrivate }, message, by), undefined)
    assert.deepEqual(await storedIn(inbox), await storedIn((await own()).inbox))
    await recountStorage(db)
  })

test('whoever copies, moves and expunges the same messages at once leaves counters right, and waits in no circle', async () => {
  const { mailbox, inbox, archive } = await own(
    ...Array.from({ length: 12 }, () => ({ deleted: true, keywords: ['work'] })),
  )
  const other = await another(mailbox)
  const uids = Array.from({ length: 40 }, (_, index) => index + 1)
  const places = [inbox, archive, other.inbox]
  const work = places.flatMap((from) =>
    places.flatMap((to) => [
      transaction((tx) => copyMessages(tx, from, uids.slice(0, 6), to, by)),
      transaction((tx) => moveMessages(tx, from, uids.slice(3, 9), to, by)),
      transaction((tx) => expungeMarked(tx, from, uids.slice(6, 12), by)),
      transaction((tx) => storeFlags(tx, from, uids, { seen: true }, by)),
    ]),
  )
  await Promise.all(work)
  await assertCounted()
  for (const place of places) {
    const rows = await shown(place)
    const { uid_next } = await findFolder(db, place.mailbox, place === archive ? 'archive' : 'inbox')
    assert.ok(rows.every(([uid]) => uid < uid_next))
  }
})

// Another transaction needs a connection of its own.
if (process.env.TEST_DATABASE_URL !== undefined)
  test('whoever copies waits for contents before they hold the storage, as who expunges does', async () => {
    const { mailbox, inbox, archive } = await own({})
    const { organizationId } = mailbox
    const copied = await whileHeld(
      db,
      (tx) => sql`select from mail_contents where organization_id = ${organizationId} for update`.execute(tx),
      () => transaction((tx) => copyMessages(tx, inbox, [1], archive, by)),
      {
        last: (tx) =>
          sql`select from organization_usage where organization_id = ${organizationId} for update`.execute(tx),
      },
    )
    assert.deepEqual(copied, { from: [1], to: [1] })
  })

for (const [what, order, expected] of [
  ['ours goes once a program stores its own', ['ours', 'own'], [[2, '']]],
  ['ours is not stored behind that of a program', ['own', 'ours'], [[1, '']]],
  [
    'ours stays once its time is over',
    ['ours', 'later', 'own'],
    [
      [1, 'seen'],
      [2, ''],
    ],
  ],
  [
    'what a program stores twice is there twice',
    ['own', 'own'],
    [
      [1, ''],
      [2, ''],
    ],
  ],
  [
    'another message takes no place of ours',
    ['ours', 'other'],
    [
      [1, 'seen'],
      [2, ''],
    ],
  ],
] as const)
  test(`of copies in Sent of a message that a program submits, ${what}`, async () => {
    const { mailbox } = await own({})
    const sent = await ref(mailbox, 'sent')
    const message = readMessage(letter({}))
    const unlessThere = message.messageId ?? ''
    for (const one of order)
      await transaction(async (tx) => {
        if (one === 'ours')
          await appendCopies(tx, idKey, [copy(mailbox, { folder: 'sent', message, unlessThere, seen: true })])
        else if (one === 'later')
          await sql`update mail_messages set yields_until = now() where folder_id = ${sent.folderId}`.execute(tx)
        else
          await appendGiven(
            tx,
            idKey,
            sent,
            [{ ...given, message: one === 'own' ? message : readMessage(letter({})) }],
            by,
          )
      })
    assert.deepEqual(
      (await shown(sent)).map(([uid, , marks]) => [uid, marks]),
      expected,
    )
    await assertCounted()
  })

for (const [what, move] of [
  ['copied to', false],
  ['moved to', true],
] as const)
  test(`the index of words finds a message in the mailbox that it was ${what}, once`, async () => {
    const { mailbox, inbox } = await own({}, {})
    const other = await another(mailbox)
    await index(await claimed(mailbox))
    for (const from of [inbox, ...(move ? [] : [inbox])])
      await transaction((tx) => (move ? moveMessages : copyMessages)(tx, from, [1], other.inbox, by))
    await index(await claimed(mailbox))
    const { rows } = await sql<{ marks: string }>`
      select split_part(words, E'\\n', 1) as marks from mail_search where organization_id = ${mailbox.organizationId}
      order by content_id`.execute(db)
    const mark = mailboxMark(other.mailbox.mailboxId)
    assert.deepEqual(
      rows.map(({ marks }) => marks.split(' ').filter((one) => one === mark).length),
      [1, 0],
    )
  })

test('what is being indexed while it is copied to another mailbox is indexed again', async () => {
  const { mailbox, inbox } = await own({})
  const other = await another(mailbox)
  const early = await claimed(mailbox)
  await transaction((tx) => copyMessages(tx, inbox, [1], other.inbox, by))
  await index(early)
  const again = await claimed(mailbox)
  const content = await Promise.all(again.map((one) => readUnindexed(db, one)))
  assert.deepEqual(content[0]?.mailboxIds.toSorted(), [mailbox.mailboxId, other.mailbox.mailboxId].sort())
})

/** Contents of the organization to index. */
async function claimed({ organizationId }: MailboxRef): Promise<readonly Unindexed[]> {
  const all = await claimUnindexed(db, 1_000)
  return all.filter((one) => one.organizationId === organizationId)
}

async function index(contents: readonly Unindexed[]): Promise<void> {
  const words = await Promise.all(
    contents.map(async (one) => {
      const facts = await readUnindexed(db, one)
      const searchable = { subject: [], from: [], to: [], filename: [], cc: [], text: ['zebra'] }
      const of = { organizationId: one.organizationId, mailboxIds: [], ...facts, messageId: null, hasAttachment: false }
      const text = indexText(searchable, of, [])
      return { id: one.id, organization_id: one.organizationId, words: text, rest: '', whole: true, ordered: true }
    }),
  )
  await writeWords(db, contents, words)
}

test('a folder that is gone is not written to', async () => {
  const { mailbox, inbox } = await own({})
  const later = { mailbox, folderId: inbox.folderId + 1_000_000 }
  const stranger = await own({})
  for (const [from, to] of [
    [inbox, later],
    [later, inbox],
    [inbox, { ...stranger.inbox, mailbox }],
    [inbox, stranger.inbox],
  ] as const)
    await assert.rejects(
      transaction((tx) => copyMessages(tx, from, [1], to, by)),
      { code: 'not_found' },
    )
})

function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(work)
}

/** A mailbox with such messages in its inbox. */
async function own(...messages: Partial<Copy>[]): Promise<Own> {
  const mailbox = await newMailbox(db, 'ada')
  await storeCopies(
    db,
    messages.map((one) => copy(mailbox, one)),
  )
  return { mailbox, inbox: await ref(mailbox, 'inbox'), archive: await ref(mailbox, 'archive') }
}

/** Another mailbox of the organization. */
async function another({ organizationId }: MailboxRef): Promise<Pick<Own, 'mailbox' | 'inbox'>> {
  const { domain } = await db
    .selectFrom('domains')
    .select('domain')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const mailbox = await newMailbox(db, 'bob', { organizationId, domain })
  return { mailbox, inbox: await ref(mailbox, 'inbox') }
}

async function ref(mailbox: MailboxRef, name: string): Promise<FolderRef> {
  return { mailbox, folderId: (await findFolder(db, mailbox, name)).id }
}

/** Uid, modification sequence and marks of each message. */
async function shown({ folderId }: FolderRef): Promise<[number, number, string][]> {
  const { rows } = await sql<ChangedFlags & { modseq: number }>`
    select uid, modseq, seen, flagged, answered, forwarded, deleted, draft, keywords from mail_messages
    where folder_id = ${folderId} order by uid`.execute(db)
  return rows.map(({ modseq, ...row }) => written({ ...row, modseqBefore: modseq }))
}

function written(message: ChangedFlags): [number, number, string] {
  const flags = (['seen', 'flagged', 'answered', 'forwarded', 'deleted', 'draft'] as const).filter(
    (one) => message[one],
  )
  return [message.uid, message.modseqBefore, [...flags, ...message.keywords].join(' ')]
}

async function ids({ folderId }: FolderRef): Promise<number[]> {
  const rows = await db
    .selectFrom('mail_messages')
    .select('id')
    .where('folder_id', '=', folderId)
    .orderBy('uid')
    .execute()
  return rows.map(({ id }) => id)
}

async function contents({ organizationId }: MailboxRef): Promise<number[]> {
  const { rows } = await sql<{ copies: number }>`
    select copies from mail_contents where organization_id = ${organizationId} order by id`.execute(db)
  return rows.map(({ copies }) => copies)
}

/** All that is stored of the messages of a folder, but for ids and times. */
async function storedIn({ mailbox, folderId }: FolderRef): Promise<unknown> {
  const { rows } = await sql`
    select to_jsonb(folder) - array['id', 'organization_id', 'mailbox_id'] as folder,
      to_jsonb(message) - array['id', 'folder_id', 'content_id', 'saved_at'] as message,
      to_jsonb(content) - array['id', 'organization_id'] as content,
      (select json_agg(to_jsonb(label) - 'folder_id' order by keyword) from mail_keywords label where label.folder_id = folder.id) as keywords,
      (select json_agg(to_jsonb(counted) - 'folder_id' order by keyword) from mail_keyword_totals counted where counted.folder_id = folder.id) as totals,
      (select organization_id = folder.organization_id from mail_search_queue where id = content.id) as queued,
      (select json_agg(to_jsonb(event) - array['id', 'at', 'position', 'organization_id', 'mailbox_id'] #- '{data,id}') from events event
        where mailbox_id = folder.mailbox_id and type like 'message.%') as events,
      (select bool_and((data ->> 'id')::bigint = message.id) from events
        where mailbox_id = folder.mailbox_id and type like 'message.%') as by_id
    from mail_folders folder
    left join mail_messages message on message.folder_id = folder.id
    left join mail_contents content on content.id = message.content_id
    where folder.id = ${folderId} and folder.organization_id = ${mailbox.organizationId}`.execute(db)
  return rows
}

/** What they say beside ids. */
async function events({ mailboxId }: MailboxRef, type: string): Promise<unknown[]> {
  const { rows } = await sql<{ data: unknown }>`
    select data - 'id' #- '{moved_from,id}' as data from events where mailbox_id = ${mailboxId} and type = ${type} order by position, (data ->> 'uid')::integer`.execute(
    db,
  )
  return rows.map(({ data }) => data)
}

/** All counters and lists say what is there. */
async function assertCounted(): Promise<void> {
  assert.deepEqual((await recountFolders(db)).wrong, [])
  assert.deepEqual(await recountStorage(db), [])
  const { rows } = await sql`
    select id from mail_contents content
    where copies <> (select count(*) from mail_messages where content_id = content.id)`.execute(db)
  assert.deepEqual(rows, [])
}
