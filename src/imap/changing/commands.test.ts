import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Db } from '#/db/schema.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { MessageReader } from '#/mime/reader.ts'
import type { Copy, MailboxRef } from '#/ports/mail-host.ts'
import { copy } from '#test/conformance/mail-host/letters.ts'
import { HeardSession, partsOn } from '#test/world/imap/heard-session.ts'
import { Stage } from '#test/world/imap/stage.ts'
import { selectedCommands } from '../selected/commands.ts'
import type { Extension } from '../session/session.ts'
import { changingCommands } from './commands.ts'

const reader = new MessageReader()
let stage: Stage
let parts: ReturnType<typeof partsOn>
let db: Db
before(async () => {
  stage = await Stage.open()
  db = stage.database.db
  parts = partsOn(stage.database, {
    ...{ mailHost: stage.host, log: pino({ level: 'silent' }), reader, idKey: idHashKey('a secret') },
    clock: { now: () => Date.UTC(2026, 10, 26) },
  })
})
after(async () => {
  await reader[Symbol.asyncDispose]()
  await parts[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

/** A sentence; what is in folders before, as the uids and marks of messages; with `while`, what else is so; what the client says that has
 *  selected INBOX, a literal being its text in braces; what it is told; and what is in folders then. `<sent>` is the UIDVALIDITY of Sent. */
const exchanges = String.raw`
STORE adds flags, and tells all that the message has
inbox 1:seen 2:
C STORE 1 +FLAGS (\Deleted $Forwarded Work)
S * FLAGS (\Answered \Flagged \Deleted \Seen \Draft $Forwarded work)
S * OK [PERMANENTFLAGS (\Answered \Flagged \Deleted \Seen \Draft $Forwarded work \*)] Flags permitted
S * 1 FETCH (FLAGS (\Deleted \Seen $Forwarded work))
S OK Store completed
inbox 1:seen,forwarded,deleted,work 2:

STORE takes flags without parentheses
inbox 1:seen
C STORE 1 -FLAGS \seen \DRAFT
S * 1 FETCH (FLAGS ())
S OK Store completed
inbox 1:

STORE replaces all flags
inbox 1:seen,flagged,home,work
C STORE 1 FLAGS (\Answered \Recent work)
S * 1 FETCH (FLAGS (\Answered work))
S OK Store completed
inbox 1:answered,work

UID STORE tells the uid, and leaves out what there is not
inbox 1: 2:
C UID STORE 2:9 +FLAGS (\Seen)
S * 2 FETCH (UID 2 FLAGS (\Seen))
S OK Store completed
inbox 1: 2:seen

a message that is so already is not told
inbox 1:seen 2:
C STORE 1:2 +FLAGS (\Seen)
S * 2 FETCH (FLAGS (\Seen))
S OK Store completed
inbox 1:seen 2:seen

with .SILENT nothing is told
inbox 1:
C STORE 1 +FLAGS.SILENT (\Seen)
S OK Store completed
inbox 1:seen

with .SILENT what somebody else has changed is told
inbox 1: 2:
while flagged 2
C STORE 1:2 +FLAGS.SILENT (\Seen)
S * 2 FETCH (FLAGS (\Flagged \Seen))
S OK Store completed
inbox 1:seen 2:seen,flagged

with .SILENT a client that keeps modification sequences is told those
inbox 1:
while CONDSTORE
C STORE 1 +FLAGS.SILENT (\Seen)
S * 1 FETCH (MODSEQ (3))
S OK Store completed
inbox 1:seen

UNCHANGEDSINCE leaves alone what has changed since, and says which that is
inbox 1: 2: 3:
while flagged 3
C STORE 1:3 (UNCHANGEDSINCE 2) +FLAGS (\Seen)
S * 1 FETCH (FLAGS (\Seen) MODSEQ (4))
S * 2 FETCH (FLAGS (\Seen) MODSEQ (4))
S * 3 FETCH (FLAGS (\Flagged) MODSEQ (3))
S OK [MODIFIED 3] Conditional store failed for some
inbox 1:seen 2:seen 3:flagged

what is expunged is missed by sequence numbers, which stay until another command
inbox 1: 2:
while gone 2
C STORE 1:2 +FLAGS (\Seen)
S * 1 FETCH (FLAGS (\Seen))
S NO [EXPUNGEISSUED] Some of the messages no longer exist
inbox 1:seen

what is expunged is left out by uids
inbox 1: 2:
while gone 2
C UID STORE 1:2 +FLAGS (\Seen)
S * 1 FETCH (UID 1 FLAGS (\Seen))
S * 2 EXPUNGE
S OK Store completed
inbox 1:seen

a mailbox that can only be read is not changed
inbox 1:
while EXAMINE
C STORE 1 +FLAGS (\Seen)
S NO [READ-ONLY] The mailbox can only be read
inbox 1:

a sequence number that there is not is none
inbox 1:
C STORE 2 +FLAGS (\Seen)
S BAD There are 1 messages
inbox 1:

an unknown flag with a backslash is none
inbox 1:
C STORE 1 +FLAGS (\Important)
S BAD There is no such flag with a backslash
inbox 1:

STORE has one modifier
inbox 1:
C STORE 1 (CHANGEDSINCE 3) FLAGS (\Seen)
S BAD The one modifier is UNCHANGEDSINCE
inbox 1:

STORE changes flags alone
inbox 1:
C STORE 1 BODY (\Seen)
S BAD Expected FLAGS, +FLAGS or -FLAGS
inbox 1:

COPY tells the new uids
inbox 1:seen 2: 3:work
C COPY 1,3 Archive
S OK [COPYUID <archive> 1,3 1:2] Copy completed
inbox 1:seen 2: 3:work
archive 1:seen 2:work

COPY to the same mailbox makes other messages
inbox 1:
C UID COPY 1 inbox
S * 2 EXISTS
S OK [COPYUID <inbox> 1 2] Copy completed
inbox 1: 2:

COPY does not create a mailbox
inbox 1:
C COPY 1 Later
S NO [TRYCREATE] There is no such mailbox; create it first

COPY of no message is no failure
inbox 1:
C UID COPY 7 Archive
S OK No messages to copy
archive

COPY is refused to a full organization
inbox 1:
while full
C COPY 1 Archive
S NO [OVERQUOTA] The storage of the organization is full
archive

COPY leaves a mailbox that can only be read as it is
inbox 1:
while EXAMINE
C COPY 1 Archive
S OK [COPYUID <archive> 1 1] Copy completed
inbox 1:
archive 1:

MOVE tells the new uids before the expunge
inbox 1:flagged 2:
C MOVE 1 Trash
S * OK [COPYUID <trash> 1 1] Moved
S * 1 EXPUNGE
S OK Move completed
inbox 2:
trash 1:flagged

UID MOVE tells the modification sequence to a client that keeps it
inbox 1: 2:
while QRESYNC
C UID MOVE 1:* Trash
S * OK [COPYUID <trash> 1:2 1:2] Moved
S * VANISHED 1:2
S OK [HIGHESTMODSEQ 4] Move completed
inbox
trash 1: 2:

MOVE goes on in a full organization
inbox 1:
while full
C MOVE 1 Trash
S * OK [COPYUID <trash> 1 1] Moved
S * 1 EXPUNGE
S OK Move completed
trash 1:

MOVE changes no mailbox that can only be read
inbox 1:
while EXAMINE
C MOVE 1 Trash
S NO [READ-ONLY] The mailbox can only be read
inbox 1:

MOVE of what is gone is no failure
inbox 1:
while gone 1
C MOVE 1 Trash
S * 1 EXPUNGE
S OK No messages to move
trash

EXPUNGE deletes what is marked
inbox 1:deleted 2: 3:deleted
C EXPUNGE
S * 3 EXPUNGE
S * 1 EXPUNGE
S OK Expunge completed
inbox 2:

UID EXPUNGE deletes what is marked among its uids
inbox 1:deleted 2: 3:deleted
while CONDSTORE
C UID EXPUNGE 2:3
S * 3 EXPUNGE
S OK [HIGHESTMODSEQ 3] Expunge completed
inbox 1:deleted 2:

EXPUNGE of nothing tells nothing
inbox 1:
while CONDSTORE
C EXPUNGE
S OK Expunge completed
inbox 1:

EXPUNGE changes no mailbox that can only be read
inbox 1:deleted
while EXAMINE
C EXPUNGE
S NO [READ-ONLY] The mailbox can only be read
inbox 1:deleted

CLOSE deletes what is marked, and tells nothing of it
inbox 1:deleted 2:
C CLOSE
S OK Close completed
inbox 2:

CLOSE changes no mailbox that can only be read
inbox 1:deleted
while EXAMINE
C CLOSE
S OK Close completed
inbox 1:deleted

APPEND stores a message
inbox
C APPEND Drafts (\Draft \Seen Work) "01-Feb-2020 10:00:00 +0100" {Subject: a\r\n\r\nb}
S OK [APPENDUID <drafts> 1] Append completed
drafts 1:seen,draft,work

APPEND stores several
inbox 1:
C APPEND INBOX {a: b\n\nc} () {d: e\r\n} (\Seen) {f: g}
S * 4 EXISTS
S OK [APPENDUID <inbox> 2:4] Append completed
inbox 1: 2: 3: 4:seen

APPEND with an empty message stores none
inbox
C APPEND INBOX {a: b} {}
S NO [CANNOT] An empty message is none
inbox

APPEND takes NUL in a literal8
inbox
C APPEND INBOX ~{a: b\r\n\r\n\0}
S * 1 EXISTS
S OK [APPENDUID <inbox> 1] Append completed
inbox 1:

APPEND takes no NUL in another literal
inbox
C APPEND INBOX {a: b\r\n\r\n\0}
S BAD A message with NUL must be sent as a literal8
inbox

APPEND takes a header in UTF-8
inbox
C APPEND INBOX UTF8 (~{Subject: ä\r\n\r\n})
S * 1 EXISTS
S OK [APPENDUID <inbox> 1] Append completed
inbox 1:

APPEND does not create a mailbox
inbox
C APPEND Later {a: b}
S NO [TRYCREATE] There is no such mailbox; create it first

APPEND is refused to a full organization
inbox 1:
while full
C APPEND INBOX {a: b}
S NO [OVERQUOTA] The storage of the organization is full
inbox 1:

REPLACE stores a message in place of another
inbox 1: 2:draft
C REPLACE 2 Drafts (\Draft) {a: b}
S * OK [APPENDUID <drafts> 1] Replaced
S * 2 EXPUNGE
S OK Replace completed
inbox 1:
drafts 1:draft

UID REPLACE may stay in its mailbox
inbox 1:
C UID REPLACE 1 INBOX {a: b}
S * OK [APPENDUID <inbox> 2] Replaced
S * 1 EXPUNGE
S * 1 EXISTS
S OK Replace completed
inbox 2:

REPLACE of what is gone stores nothing
inbox 1:
while gone 1
C REPLACE 1 Drafts {a: b}
S * 1 EXPUNGE
S NO [EXPUNGEISSUED] The message no longer exists
drafts

REPLACE of what there never was stores nothing
inbox 1:
C UID REPLACE 2 Drafts {a: b}
S NO [NONEXISTENT] No such message
drafts
`

for (const exchange of exchanges.trim().split('\n\n')) {
  const [sentence = '', ...lines] = exchange.split('\n')
  const said = lines.findIndex((line) => line.startsWith('C '))
  const meanwhile = lines
    .slice(0, said)
    .find((line) => line.startsWith('while '))
    ?.split(' ')
  const told = lines.filter((line) => line.startsWith('S ')).map((line) => line.slice(2))
  test(sentence, async () => {
    const { mailbox, session } = await inInbox(lines[0] ?? '', meanwhile?.[1] === 'EXAMINE' ? 'EXAMINE' : 'SELECT')
    await happen(mailbox, session, meanwhile?.[1] ?? '', Number(meanwhile?.[2]))
    const command = lines[said]?.slice(2).replaceAll('\\r', '\r').replaceAll('\\n', '\n').replaceAll('\\0', '\0')
    const heard = await session.run(command ?? '')
    const ids = await folderIds(mailbox)
    assert.deepEqual(
      heard,
      told.map((line) => line.replace(/<(\w+)>/, (_, name) => ids.get(name) ?? name)),
    )
    for (const line of lines.slice(said + 1 + told.length))
      assert.equal(await there(mailbox, line.split(' ', 1)[0] ?? ''), line)
  })
}

test('very many messages are changed in steps, each a transaction, and expunged so', async () => {
  const { mailbox, session } = await inInbox('inbox', 'SELECT')
  await add(
    mailbox,
    Array.from({ length: 1_201 }, () => ({})),
  )
  await session.run('NOOP')
  const heard = await session.run('STORE 1:* +FLAGS (\\Deleted)')
  assert.deepEqual([heard.length, heard.at(-2)], [1_202, '* 1201 FETCH (FLAGS (\\Deleted))'])
  const sequences = async () =>
    (await sql`select distinct modseq from mail_messages where folder_id = ${await inboxOf(mailbox)}`.execute(db)).rows
      .length
  assert.equal(await sequences(), 3)
  const copied = await session.run('COPY 1:* Archive')
  assert.match(copied.at(-1) ?? '', /^OK \[COPYUID \d+ 1:1201 1:1201\]/)
  assert.equal((await session.run('EXPUNGE')).length, 1_202)
  assert.equal(await there(mailbox, 'inbox'), 'inbox')
})

test('a copy that fails on the way leaves none of its messages', async () => {
  const { mailbox, session } = await inInbox('inbox', 'SELECT')
  await add(
    mailbox,
    Array.from({ length: 501 }, () => ({})),
  )
  await session.run('NOOP')
  // The last is refused, in the second step.
  await sql`alter table mail_keywords add constraint no_word check (keyword <> 'refused') not valid`.execute(db)
  await sql`
    update mail_messages set keywords = '{refused}' where folder_id = ${await inboxOf(mailbox)} and uid = 501`.execute(
    db,
  )
  await assert.rejects(session.run('COPY 1:* Archive'), /no_word/)
  await sql`alter table mail_keywords drop constraint no_word`.execute(db)
  assert.equal(await there(mailbox, 'archive'), 'archive')
})

test('what is stored is read as all mail is, and dated as the client says, or now', async () => {
  const { mailbox, session } = await inInbox('inbox', 'SELECT')
  const [head, body] = ['From: Ann <ann@far.example>\r\nSubject: Lunch\r\nMessage-ID: <1@far.example>', 'At noon?\n']
  await session.run(`APPEND INBOX "01-Feb-2020 10:00:00 +0100" {${head}\r\n\r\n${body}} {a: b}`)
  const [one, two] = await stage.host.summaries(mailbox, 'inbox', [1, 2])
  assert.deepEqual(
    [one?.from?.address, one?.subject, one?.messageId, one?.preview, one?.sizeBytes],
    ['ann@far.example', 'Lunch', '<1@far.example>', 'At noon?', head.length + 4 + body.length],
  )
  assert.deepEqual(
    [one, two].map((message) => message?.receivedAt.toISOString()),
    ['2020-02-01T09:00:00.000Z', '2026-11-26T00:00:00.000Z'],
  )
})

for (const [what, command, code] of [
  ['a keyword of more than 50 characters', `STORE 1 +FLAGS (${'k'.repeat(51)})`, { code: 'invalid_request' }],
  ['a message above the limit', `APPEND INBOX {${'x'.repeat(25 * 1024 * 1024 + 1)}}`, undefined],
  ['very many keywords', `STORE 1 +FLAGS (${Array.from({ length: 101 }, (_, at) => `k${at}`).join(' ')})`, undefined],
] as const) {
  test(`what has ${what} is refused`, async () => {
    const { session } = await inInbox('inbox 1:', 'SELECT')
    if (code) await assert.rejects(session.run(command), code)
    else assert.match((await session.run(command)).at(-1) ?? '', /^NO \[(LIMIT|TOOBIG)\]/)
  })
}

/** A new mailbox with such messages, and a session that has selected INBOX. */
async function inInbox(messages: string, select: string): Promise<{ mailbox: MailboxRef; session: HeardSession }> {
  const { mailbox } = await stage.scene()
  const held = messages.split(' ').slice(1)
  await add(
    mailbox,
    held.map((one) => {
      const marks = one.replace(/^\d+:/, '').split(',').filter(Boolean)
      const flags = Object.fromEntries(marks.filter((mark) => flagNames.includes(mark)).map((mark) => [mark, true]))
      return { ...flags, keywords: marks.filter((mark) => !flagNames.includes(mark)) }
    }),
  )
  const session = new HeardSession(parts, mailbox, { ...selectedCommands, ...changingCommands })
  await session.run(`${select} INBOX`)
  return { mailbox, session }
}

const flagNames = ['seen', 'flagged', 'answered', 'forwarded', 'deleted', 'draft']

async function add(mailbox: MailboxRef, changes: readonly Partial<Copy>[]): Promise<void> {
  const copies = changes.map((one) => copy(mailbox, one))
  await db.transaction().execute((tx) => stage.host.append(tx, copies))
}

/** What is so, or what somebody else does, before the command. */
async function happen(mailbox: MailboxRef, session: HeardSession, what: string, uid: number): Promise<void> {
  if (what === 'gone') await stage.host.expunge(mailbox, 'inbox', [uid])
  else if (what === 'flagged') await stage.host.update(mailbox, 'inbox', [uid], { flagged: true })
  else if (what === 'full') {
    await sql`
      update organization_usage set storage_bytes = (select max(storage_bytes) from plans)
      where organization_id = ${mailbox.organizationId}`.execute(db)
  } else if (what === 'CONDSTORE' || what === 'QRESYNC') session.enable(what satisfies Extension)
}

async function folderIds({ mailboxId }: MailboxRef): Promise<Map<string, string>> {
  const rows = await db.selectFrom('mail_folders').select(['id', 'name']).where('mailbox_id', '=', mailboxId).execute()
  return new Map(rows.map(({ name, id }) => [name, String(id)]))
}

async function inboxOf(mailbox: MailboxRef): Promise<number> {
  return Number((await folderIds(mailbox)).get('inbox'))
}

/** `inbox 1:seen,work 2:`: the uids of a folder's messages and their marks. */
async function there({ mailboxId }: MailboxRef, folder: string): Promise<string> {
  const marks = sql.join(flagNames.map((name) => sql`case when ${sql.ref(name)} then ${name}::text end`))
  const { rows } = await sql<{ text: string }>`
    select uid || ':' || concat_ws(',', ${marks}, nullif(array_to_string(keywords, ','), '')) as text
    from mail_folders folder join mail_messages on folder_id = folder.id
    where mailbox_id = ${mailboxId} and folder.name = ${folder} order by uid`.execute(db)
  return [folder, ...rows.map(({ text }) => text)].join(' ')
}
