import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readSummaries } from '#/mail/store/read.ts'
import type { HeardSession } from '#test/world/imap/heard-session.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { changingCommands } from './commands.ts'

const stage = await Stage.ofFile(changingCommands)
const { db } = stage.database

/** A sentence; then what is in INBOX before, as the uids and marks of messages, and behind `while` what else is so; what a client says
 *  that has selected INBOX, a literal being its text in braces; what it is told; and what is in folders then. `<sent>` is the UIDVALIDITY
 *  of Sent. */
const exchanges = String.raw`
STORE adds flags, and tells all that the message has
  inbox 1:seen 2: => STORE 1 +FLAGS (\Deleted $Forwarded Work)
  => * FLAGS (\Answered \Flagged \Deleted \Seen \Draft $Forwarded work) | * OK [PERMANENTFLAGS (\Answered \Flagged \Deleted \Seen \Draft $Forwarded work \*)] Flags permitted | * 1 FETCH (FLAGS (\Deleted \Seen $Forwarded work)) | OK Store completed
  => inbox 1:seen,forwarded,deleted,work 2:
STORE takes flags without parentheses
  inbox 1:seen => STORE 1 -FLAGS \seen \DRAFT => * 1 FETCH (FLAGS ()) | OK Store completed => inbox 1:
STORE replaces all flags
  inbox 1:seen,flagged,home,work => STORE 1 FLAGS (\Answered \Recent work)
  => * 1 FETCH (FLAGS (\Answered work)) | OK Store completed => inbox 1:answered,work
UID STORE tells the uid, and leaves out what there is not
  inbox 1: 2: => UID STORE 2:9 +FLAGS (\Seen) => * 2 FETCH (UID 2 FLAGS (\Seen)) | OK Store completed => inbox 1: 2:seen
a message that is so already is not told
  inbox 1:seen 2: => STORE 1:2 +FLAGS (\Seen) => * 2 FETCH (FLAGS (\Seen)) | OK Store completed => inbox 1:seen 2:seen
with .SILENT nothing is told
  inbox 1: => STORE 1 +FLAGS.SILENT (\Seen) => OK Store completed => inbox 1:seen
with .SILENT what somebody else has changed is told
  inbox 1: 2: while flagged 2 => STORE 1:2 +FLAGS.SILENT (\Seen)
  => * 2 FETCH (FLAGS (\Flagged \Seen)) | OK Store completed => inbox 1:seen 2:seen,flagged
with .SILENT a client that keeps modification sequences is told those
  inbox 1: while CONDSTORE => STORE 1 +FLAGS.SILENT (\Seen)
  => * 1 FETCH (MODSEQ (3)) | OK Store completed => inbox 1:seen
UNCHANGEDSINCE leaves alone what has changed since, and says which that is
  inbox 1: 2: 3: while flagged 3 => STORE 1:3 (UNCHANGEDSINCE 2) +FLAGS (\Seen)
  => * 1 FETCH (FLAGS (\Seen) MODSEQ (4)) | * 2 FETCH (FLAGS (\Seen) MODSEQ (4)) | * 3 FETCH (FLAGS (\Flagged) MODSEQ (3)) | OK [MODIFIED 3] Conditional store failed for some
  => inbox 1:seen 2:seen 3:flagged
what is expunged is missed by sequence numbers, which stay until another command
  inbox 1: 2: while gone 2 => STORE 1:2 +FLAGS (\Seen)
  => * 1 FETCH (FLAGS (\Seen)) | NO [EXPUNGEISSUED] Some of the messages no longer exist => inbox 1:seen
with .SILENT a client is not told that some were expunged
  inbox 1: 2: while gone 2 => STORE 1:2 +FLAGS.SILENT (\Seen) => OK Store completed => inbox 1:seen
what is expunged is left out by uids
  inbox 1: 2: while gone 2 => UID STORE 1:2 +FLAGS (\Seen)
  => * 1 FETCH (UID 1 FLAGS (\Seen)) | * 2 EXPUNGE | OK Store completed => inbox 1:seen
a mailbox that can only be read is not changed
  inbox 1: while EXAMINE => STORE 1 +FLAGS (\Seen) => NO [READ-ONLY] The mailbox can only be read => inbox 1:
a sequence number that there is not is none
  inbox 1: => STORE 2 +FLAGS (\Seen) => BAD There are 1 messages => inbox 1:
an unknown flag with a backslash is none
  inbox 1: => STORE 1 +FLAGS (\Important) => BAD There is no such flag with a backslash => inbox 1:
STORE has one modifier
  inbox 1: => STORE 1 (CHANGEDSINCE 3) FLAGS (\Seen) => BAD The one modifier is UNCHANGEDSINCE => inbox 1:
STORE changes flags alone
  inbox 1: => STORE 1 BODY (\Seen) => BAD Expected FLAGS, +FLAGS or -FLAGS => inbox 1:
COPY tells the new uids
  inbox 1:seen 2: 3:work => COPY 1,3 Archive
  => OK [COPYUID <archive> 1,3 1:2] Copy completed => inbox 1:seen 2: 3:work, archive 1:seen 2:work
COPY to the same mailbox makes other messages
  inbox 1: => UID COPY 1 inbox => * 2 EXISTS | OK [COPYUID <inbox> 1 2] Copy completed => inbox 1: 2:
COPY does not create a mailbox
  inbox 1: => COPY 1 Later => NO [TRYCREATE] There is no such mailbox; create it first
COPY of no message is no failure
  inbox 1: => UID COPY 7 Archive => OK No messages to copy => archive
COPY is refused to a full organization
  inbox 1: while full => COPY 1 Archive => NO [OVERQUOTA] The storage of the organization is full => archive
COPY leaves a mailbox that can only be read as it is
  inbox 1: while EXAMINE => COPY 1 Archive => OK [COPYUID <archive> 1 1] Copy completed => inbox 1:, archive 1:
MOVE tells the new uids before the expunge
  inbox 1:flagged 2: => MOVE 1 Trash
  => * OK [COPYUID <trash> 1 1] Moved | * 1 EXPUNGE | OK Move completed => inbox 2:, trash 1:flagged
UID MOVE tells the modification sequence to a client that keeps it
  inbox 1: 2: while QRESYNC => UID MOVE 1:* Trash
  => * OK [COPYUID <trash> 1:2 1:2] Moved | * VANISHED 1:2 | OK [HIGHESTMODSEQ 4] Move completed => inbox, trash 1: 2:
MOVE goes on in a full organization
  inbox 1: while full => MOVE 1 Trash => * OK [COPYUID <trash> 1 1] Moved | * 1 EXPUNGE | OK Move completed => trash 1:
MOVE changes no mailbox that can only be read
  inbox 1: while EXAMINE => MOVE 1 Trash => NO [READ-ONLY] The mailbox can only be read => inbox 1:
MOVE of what is gone is no failure
  inbox 1: while gone 1 => MOVE 1 Trash => * 1 EXPUNGE | OK No messages to move => trash
EXPUNGE deletes what is marked
  inbox 1:deleted 2: 3:deleted => EXPUNGE => * 3 EXPUNGE | * 1 EXPUNGE | OK Expunge completed => inbox 2:
UID EXPUNGE deletes what is marked among its uids
  inbox 1:deleted 2: 3:deleted while CONDSTORE => UID EXPUNGE 2:3
  => * 3 EXPUNGE | OK [HIGHESTMODSEQ 3] Expunge completed => inbox 1:deleted 2:
EXPUNGE of nothing tells nothing
  inbox 1: while CONDSTORE => EXPUNGE => OK Expunge completed => inbox 1:
EXPUNGE changes no mailbox that can only be read
  inbox 1:deleted while EXAMINE => EXPUNGE => NO [READ-ONLY] The mailbox can only be read => inbox 1:deleted
CLOSE deletes what is marked, and tells nothing of it
  inbox 1:deleted 2: => CLOSE => OK Close completed => inbox 2:
CLOSE tells the modification sequence to a client that keeps it
  inbox 1:deleted 2: while CONDSTORE => CLOSE => OK [HIGHESTMODSEQ 3] Close completed => inbox 2:
CLOSE changes no mailbox that can only be read
  inbox 1:deleted while EXAMINE => CLOSE => OK Close completed => inbox 1:deleted
APPEND stores a message
  inbox => APPEND Drafts (\Draft \Seen Work) "01-Feb-2020 10:00:00 +0100" {Subject: a\r\n\r\nb}
  => OK [APPENDUID <drafts> 1] Append completed => drafts 1:seen,draft,work
APPEND stores several
  inbox 1: => APPEND INBOX {a: b\n\nc} () {d: e\r\n} (\Seen) {f: g}
  => * 4 EXISTS | OK [APPENDUID <inbox> 2:4] Append completed => inbox 1: 2: 3: 4:seen
APPEND with an empty message stores none
  inbox => APPEND INBOX {a: b} {} => NO [CANNOT] An empty message is none => inbox
APPEND takes NUL in a literal8
  inbox => APPEND INBOX ~{a: b\r\n\r\n\0} => * 1 EXISTS | OK [APPENDUID <inbox> 1] Append completed => inbox 1:
APPEND takes no NUL in another literal
  inbox => APPEND INBOX {a: b\r\n\r\n\0} => BAD A message with NUL must be sent as a literal8 => inbox
APPEND takes a header in UTF-8
  inbox => APPEND INBOX UTF8 (~{Subject: ä\r\n\r\n})
  => * 1 EXISTS | OK [APPENDUID <inbox> 1] Append completed => inbox 1:
APPEND does not create a mailbox
  inbox => APPEND Later {a: b} => NO [TRYCREATE] There is no such mailbox; create it first
APPEND is refused to a full organization
  inbox 1: while full => APPEND INBOX {a: b} => NO [OVERQUOTA] The storage of the organization is full => inbox 1:
REPLACE stores a message in place of another
  inbox 1: 2:draft => REPLACE 2 Drafts (\Draft) {a: b}
  => * OK [APPENDUID <drafts> 1] Replaced | * 2 EXPUNGE | OK Replace completed => inbox 1:, drafts 1:draft
REPLACE takes the last message for *
  inbox 1: 2:draft => REPLACE * Drafts {a: b}
  => * OK [APPENDUID <drafts> 1] Replaced | * 2 EXPUNGE | OK Replace completed => inbox 1:, drafts 1:
UID REPLACE may stay in its mailbox
  inbox 1: => UID REPLACE 1 INBOX {a: b}
  => * OK [APPENDUID <inbox> 2] Replaced | * 1 EXPUNGE | * 1 EXISTS | OK Replace completed => inbox 2:
REPLACE of what is gone stores nothing
  inbox 1: while gone 1 => REPLACE 1 Drafts {a: b}
  => * 1 EXPUNGE | NO [EXPUNGEISSUED] The message no longer exists => drafts
REPLACE of what there never was stores nothing
  inbox 1: => UID REPLACE 2 Drafts {a: b} => NO [NONEXISTENT] No such message => drafts
`

for (const exchange of exchanges.trim().split(/\n(?! )/)) {
  const [sentence = '', rest = ''] = exchange.split(/\n(.*)/s)
  test(sentence, async () => {
    const [before = '', said = '', told = '', after = ''] = rest.trim().split(/\s+=> /)
    const [held = '', what = '', uid = ''] = before.split(/ while (\w+) ?/)
    const { scene, session } = await inInbox(held, what === 'EXAMINE' ? 'EXAMINE' : 'SELECT')
    await happen(scene, what, Number(uid))
    const heard = await session.run(said.replaceAll('\\r', '\r').replaceAll('\\n', '\n').replaceAll('\\0', '\0'))
    const ids = await folderIds(scene)
    const named = told.replace(/<(\w+)>/g, (_, name) => ids.get(name) ?? name)
    assert.deepEqual(heard, named.split(' | '))
    for (const one of after.split(', ').filter(Boolean)) assert.equal(await there(scene, one.split(' ', 1)[0]), one)
  })
}

test('very many messages are changed in steps, each a transaction, and expunged so', async () => {
  const { scene, session } = await inInbox('inbox')
  await scene.add(1_201)
  await session.run('NOOP')
  const heard = await session.run('STORE 1:* +FLAGS (\\Deleted)')
  assert.deepEqual([heard.length, heard.at(-2)], [1_202, '* 1201 FETCH (FLAGS (\\Deleted))'])
  const { rows } = await sql`
    select distinct modseq from mail_messages where folder_id = ${await scene.folderId('inbox')}`.execute(db)
  assert.equal(rows.length, 3)
  const copied = await session.run('COPY 1:* Archive')
  assert.match(copied.at(-1) ?? '', /^OK \[COPYUID \d+ 1:1201 1:1201\]/)
  assert.equal((await session.run('EXPUNGE')).length, 1_202)
  assert.equal(await there(scene), 'inbox')
})

test('a copy that fails on the way leaves none of its messages', async () => {
  const { scene, session } = await inInbox('inbox')
  await scene.add(501)
  await session.run('NOOP')
  // The last is refused, in the second step.
  await sql`alter table mail_keywords add constraint no_word check (keyword <> 'refused') not valid`.execute(db)
  const inbox = await scene.folderId('inbox')
  await sql`update mail_messages set keywords = '{refused}' where folder_id = ${inbox} and uid = 501`.execute(db)
  await assert.rejects(session.run('COPY 1:* Archive'), /no_word/)
  await sql`alter table mail_keywords drop constraint no_word`.execute(db)
  assert.equal(await there(scene, 'archive'), 'archive')
})

test('what is stored is read as all mail is, and dated as the client says, or now', async () => {
  const { scene, session } = await inInbox('inbox')
  const [head, body] = ['From: Ann <ann@far.example>\r\nSubject: Lunch\r\nMessage-ID: <1@far.example>', 'At noon?\n']
  await session.run(`APPEND INBOX "01-Feb-2020 10:00:00 +0100" {${head}\r\n\r\n${body}} {a: b}`)
  const [one, two] = await readSummaries(stage.db, scene.mailbox, 'inbox', [1, 2])
  assert.deepEqual(
    [one?.from?.address, one?.subject, one?.messageId, one?.preview, one?.sizeBytes],
    ['ann@far.example', 'Lunch', '<1@far.example>', 'At noon?', head.length + 4 + body.length],
  )
  assert.deepEqual(
    [one, two].map((message) => message?.receivedAt.toISOString()),
    ['2020-02-01T09:00:00.000Z', '2026-11-21T12:00:00.000Z'],
  )
})

for (const [what, command, code] of [
  ['a keyword of more than 50 characters', `STORE 1 +FLAGS (${'k'.repeat(51)})`, { code: 'invalid_request' }],
  ['a message above the limit', `APPEND INBOX {${'x'.repeat(25 * 1024 * 1024 + 1)}}`, undefined],
  ['very many keywords', `APPEND INBOX (${keywords(101).join(' ')}) {a: b}`, undefined],
  ['a keyword beside very many', 'STORE 1 +FLAGS (another)', undefined],
] as const) {
  test(`what has ${what} is refused`, async () => {
    const { session } = await inInbox(`inbox 1:${keywords(100)}`)
    if (code) await assert.rejects(session.run(command), code)
    else assert.match((await session.run(command)).at(-1) ?? '', /^NO \[(LIMIT|TOOBIG)\]/)
  })
}

function keywords(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `k${at}`)
}

/** A new mailbox with such messages, and a session that has selected INBOX. */
async function inInbox(messages: string, select = 'SELECT'): Promise<{ scene: Scene; session: HeardSession }> {
  const scene = await stage.scene()
  const changes = messages
    .split(' ')
    .slice(1)
    .map((one) => {
      const marks = one.replace(/^\d+:/, '').split(',').filter(Boolean)
      const flags = Object.fromEntries(marks.filter((mark) => flagNames.includes(mark)).map((mark) => [mark, true]))
      return { ...flags, keywords: marks.filter((mark) => !flagNames.includes(mark)) }
    })
  await scene.add(changes)
  await scene.session.run(`${select} INBOX`)
  return { scene, session: scene.session }
}

const flagNames = ['seen', 'flagged', 'answered', 'forwarded', 'deleted', 'draft']

/** What is so, or what somebody else does, before the command. */
async function happen(scene: Scene, what: string, uid: number): Promise<void> {
  if (what === 'gone') await scene.expunge(uid)
  else if (what === 'flagged') await scene.mark([uid], { flagged: true })
  else if (what === 'full') {
    await sql`
      update organization_usage set storage_bytes = (select max(storage_bytes) from plans)
      where organization_id = ${scene.mailbox.organizationId}`.execute(db)
  } else if (what === 'CONDSTORE' || what === 'QRESYNC') scene.session.enable(what)
}

async function folderIds({ mailbox }: Scene): Promise<Map<string, string>> {
  const folders = db.selectFrom('mail_folders').select(['id', 'name']).where('mailbox_id', '=', mailbox.mailboxId)
  return new Map((await folders.execute()).map(({ name, id }) => [name, String(id)]))
}

/** `inbox 1:seen,work 2:`: the uids of a folder's messages and their marks. */
async function there({ mailbox }: Scene, folder = 'inbox'): Promise<string> {
  const marks = sql.join(flagNames.map((name) => sql`case when ${sql.ref(name)} then ${name}::text end`))
  const { rows } = await sql<{ text: string }>`
    select uid || ':' || concat_ws(',', ${marks}, nullif(array_to_string(keywords, ','), '')) as text
    from mail_folders folder join mail_messages on folder_id = folder.id
    where mailbox_id = ${mailbox.mailboxId} and folder.name = ${folder} order by uid`.execute(db)
  return [folder, ...rows.map(({ text }) => text)].join(' ')
}
