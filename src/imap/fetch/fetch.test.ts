import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '#/base/db/schema.ts'
import { publicId } from '#/base/text/message-id.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import type { HeardSession } from '#test/world/imap/heard-session.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import type { Extension } from '../session/session.ts'
import { dateTime } from '../wire/format.ts'
import { fetchCommands } from './commands.ts'
import { readContents } from './contents.ts'

const stage = await Stage.ofFile(fetchCommands)

const receivedAt = new Date(Date.UTC(2026, 10, 2, 3, 4, 5))

function rawOf(text: string): Buffer {
  return Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1')
}

/** A session with the inbox selected that has these messages. */
async function selected(
  messages: readonly (string | Buffer)[],
  { enabled = [], command = 'SELECT' }: { enabled?: readonly Extension[]; command?: string } = {},
): Promise<{ scene: Scene; session: HeardSession }> {
  const scene = await stage.scene()
  for (const raw of messages)
    await scene.add(1, { message: readMessage(typeof raw === 'string' ? rawOf(raw) : raw), receivedAt })
  for (const extension of enabled) scene.session.enable(extension)
  await scene.session.run(`${command} INBOX`)
  return { scene, session: scene.session }
}

/** The answer to a command, `|` for line breaks. */
async function told(session: HeardSession, command: string): Promise<string> {
  return (await session.run(command)).join('|')
}

const plain = 'Subject: x\nX-Y: a\n b\nX: 1\nTo: me@x.test\n\nbody\nmore'
const nested =
  'Content-Type: multipart/mixed; boundary=b\n\nbefore\n--b\nContent-Type: message/rfc822\nContent-Description: d\n\n' +
  'Subject: in\nA: b\n\nhey\n--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\naGkA\n--b\n' +
  'Content-Transfer-Encoding: x-own\n\naGkA\n--b--\nafter'
const done = 'OK FETCH completed'
const fast = 'FLAGS () INTERNALDATE " 2-Nov-2026 03:04:05 +0000" RFC822.SIZE 57'
const text = '"text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 10 1'
const [header, body] = ['{47}|Subject: x|X-Y: a| b|X: 1|To: me@x.test||', '{10}|body|more']

for (const [message, asked, answer] of [
  [plain, 'FLAGS', 'FLAGS ()'],
  [plain, '(UID RFC822.SIZE)', 'UID 1 RFC822.SIZE 57'],
  [plain, 'INTERNALDATE', 'INTERNALDATE " 2-Nov-2026 03:04:05 +0000"'],
  [plain, '(FLAGS flags UID FLAGS)', 'FLAGS () UID 1'],
  [plain, 'MODSEQ', 'MODSEQ (2)'],
  [plain, 'FAST', fast],
  [plain, 'ALL', `${fast} ENVELOPE (NIL "x" NIL NIL NIL ((NIL NIL "me" "x.test")) NIL NIL NIL NIL)`],
  [plain, '(BODY BODYSTRUCTURE)', `BODY (${text}) BODYSTRUCTURE (${text} NIL NIL NIL NIL)`],
  [plain, 'PREVIEW', 'PREVIEW "body more"'],
  [plain, 'PREVIEW (LAZY)', 'PREVIEW "body more"'],
  [plain, '(PREVIEW (LAZY) UID)', 'PREVIEW "body more" UID 1'],
  [plain, '( UID PREVIEW )', 'UID 1 PREVIEW "body more"'],
  [plain, 'BODY.PEEK[]', 'BODY[] {57}|Subject: x|X-Y: a| b|X: 1|To: me@x.test||body|more'],
  [plain, 'BODY.PEEK[]<49.6>', 'BODY[]<49> {6}|dy|mo'],
  [plain, 'BODY.PEEK[]<51.1000>', 'BODY[]<51> {6}||more'],
  [plain, 'BODY.PEEK[]<57.1>', 'BODY[]<57> {0}|'],
  [plain, 'BODY.PEEK[]<9007199254740991.9007199254740991>', 'BODY[]<9007199254740991> {0}|'],
  [plain, 'body.peek[text]', 'BODY[TEXT] {10}|body|more'],
  [plain, 'BODY.PEEK[HEADER]', 'BODY[HEADER] {47}|Subject: x|X-Y: a| b|X: 1|To: me@x.test||'],
  [plain, 'RFC822.HEADER', 'RFC822.HEADER {47}|Subject: x|X-Y: a| b|X: 1|To: me@x.test||'],
  [plain, 'BODY.PEEK[1]', 'BODY[1] {10}|body|more'],
  [plain, 'BODY.PEEK[1.MIME]', 'BODY[1.MIME] {47}|Subject: x|X-Y: a| b|X: 1|To: me@x.test||'],
  [plain, 'BODY.PEEK[1.HEADER]', 'BODY[1.HEADER] {0}|'],
  [plain, 'BODY.PEEK[1.1]', 'BODY[1.1] {0}|'],
  [plain, 'BODY.PEEK[2]', 'BODY[2] {0}|'],
  [plain, 'BODY.PEEK[HEADER.FIELDS (x x-y nope)]', 'BODY[HEADER.FIELDS (X X-Y NOPE)] {20}|X-Y: a| b|X: 1||'],
  [plain, 'BODY.PEEK[HEADER.FIELDS.NOT ("subject" x-y)]<0.6>', 'BODY[HEADER.FIELDS.NOT (SUBJECT X-Y)]<0> {6}|X: 1|'],
  [plain, 'BODY.PEEK[HEADER.FIELDS ("a b\\"")]', 'BODY[HEADER.FIELDS ("A B\\"")] {2}||'],
  [plain, '(BODY.PEEK[TEXT] BODY.PEEK[TEXT])', 'BODY[TEXT] {10}|body|more BODY[TEXT] {10}|body|more'],
  [plain, '(BINARY.PEEK[1] BINARY.SIZE[1])', 'BINARY[1] ~{10}|body|more BINARY.SIZE[1] 10'],
  [plain, '(BINARY.PEEK[] BINARY.SIZE[])', `BINARY[] {57}|${plain.replaceAll('\n', '|')} BINARY.SIZE[] 57`],
  [plain, '(BINARY.PEEK[9] BINARY.SIZE[9])', 'BINARY[9] {0}| BINARY.SIZE[9] 0'],
  [nested, 'BODY.PEEK[1]', 'BODY[1] {24}|Subject: in|A: b||hey'],
  [nested, 'BODY.PEEK[1.HEADER]', 'BODY[1.HEADER] {21}|Subject: in|A: b||'],
  [nested, 'BODY.PEEK[1.HEADER.FIELDS (A)]', 'BODY[1.HEADER.FIELDS (A)] {8}|A: b||'],
  [nested, 'BODY.PEEK[1.TEXT]', 'BODY[1.TEXT] {3}|hey'],
  [nested, 'BODY.PEEK[1.MIME]', 'BODY[1.MIME] {56}|Content-Type: message/rfc822|Content-Description: d||'],
  [nested, 'BODY.PEEK[1.1]', 'BODY[1.1] {3}|hey'],
  [nested, 'BODY.PEEK[1.1.MIME]', 'BODY[1.1.MIME] {21}|Subject: in|A: b||'],
  [nested, 'BODY.PEEK[2]', 'BODY[2] {4}|aGkA'],
  [nested, 'BODY.PEEK[2.HEADER]', 'BODY[2.HEADER] {0}|'],
  [nested, 'BINARY.PEEK[2]', 'BINARY[2] ~{3}|hi\0'],
  [nested, 'BINARY.PEEK[2]<1.1>', 'BINARY[2]<1> ~{1}|i'],
  [nested, 'BINARY.SIZE[2]', 'BINARY.SIZE[2] 3'],
  [nested, 'BINARY.PEEK[1]', 'BINARY[1] {24}|Subject: in|A: b||hey'],
  ['\n', '(BODY.PEEK[] BODY.PEEK[HEADER] BODY.PEEK[1])', 'BODY[] {2}|| BODY[HEADER] {2}|| BODY[1] {0}|'],
  ['a: c\n\na\0b', 'BODY.PEEK[TEXT]', 'BODY[TEXT] {3}|a\ufffdb'],
] as const) {
  test(`FETCH ${asked} is told ${answer.slice(0, 80)}`, async () => {
    const { session } = await selected([message])
    assert.equal(await told(session, `FETCH 1 ${asked}`), `* 1 FETCH (${answer})|${done}`)
    const uidFirst = answer.replace(/^UID 1 ?| UID 1\b/, '').trim()
    if (!/\bUID 1\b/.test(answer))
      assert.equal(
        await told(session, `UID FETCH 1 ${asked}`),
        `* 1 FETCH (UID 1 ${uidFirst === '' ? '' : answer})|${done}`,
      )
  })
}

const unreadable =
  'FLAGS UID;();(ALL);(FAST UID);NOPE;(FLAGS NOPE);FLAGS[1];BODY.PEEK;BODY[;BODY[1;BODY[1.];BODY[.1];BODY[MIME];BODY[NOPE];BODY[0];' +
  'BODY[HEADER.FIELDS];BODY[HEADER.FIELDS ()];BODY[]<1>;BODY[]<1.>;BODY[]<-1.2>;BINARY[TEXT];PREVIEW (NOW);FLAGS (LAZY);' +
  'FLAGS (CHANGEDSINCE);FLAGS (PARTIAL 1:2);FLAGS (CHANGEDSINCE 1 VANISHED)'
for (const asked of unreadable.split(';'))
  test(`FETCH ${asked} is BAD`, async () => {
    const { session } = await selected([plain])
    assert.match(await told(session, `FETCH 1 ${asked}`), /^BAD /)
  })

const flags = (...all: (readonly [sequence: number, uid: number])[]) =>
  all.map(([sequence, uid]) => `* ${sequence} FETCH (UID ${uid} FLAGS ())|`).join('')
const few = Array<string>(5).fill(plain)

for (const [what, command, answer] of [
  ['a set of numbers', 'FETCH 5,1:2 UID', '* 1 FETCH (UID 1)|* 2 FETCH (UID 2)|* 4 FETCH (UID 5)|BAD'],
  ['numbers that there are', 'FETCH 4,1:2 UID', '* 1 FETCH (UID 1)|* 2 FETCH (UID 2)|* 4 FETCH (UID 5)|'],
  ['uids that there are not', 'UID FETCH 3,7:9 FLAGS', ''],
  ['uids', 'UID FETCH 1:3,5 FLAGS', flags([1, 1], [2, 2], [4, 5])],
  ['uids with gaps', 'UID FETCH 1,5 (FLAGS)', flags([1, 1], [4, 5])],
  ['the first', 'UID FETCH 1:* FLAGS (PARTIAL 1:2)', flags([1, 1], [2, 2])],
  ['some', 'UID FETCH 1:* FLAGS (PARTIAL 3:2)', flags([2, 2], [3, 4])],
  ['the last', 'UID FETCH 1:* FLAGS (PARTIAL -1:-2)', flags([3, 4], [4, 5])],
  ['more than there are', 'UID FETCH 1:* FLAGS (PARTIAL -3:-9)', flags([1, 1], [2, 2])],
  ['places that there are not', 'UID FETCH 1:* FLAGS (PARTIAL 9:10)', ''],
  ['nothing of what was saved', 'FETCH $ FLAGS', ''],
] as const) {
  test(`${command} is told of ${what}`, async () => {
    const { scene } = await selected(few)
    await scene.expunge(3)
    const session = scene.another()
    await session.run('SELECT INBOX')
    if (answer.endsWith('BAD')) assert.match(await told(session, command), /^BAD /)
    else assert.equal(await told(session, command), `${answer}${done}`)
  })
}

test('flags of all kinds are told, of messages that are there', async () => {
  const { session, scene } = await selected(few)
  await scene.session.run('SELECT INBOX')
  await scene.storeFlags([1, 2, 4, 5], { seen: true })
  await scene.storeFlags([2, 3], { flagged: true, answered: true, forwarded: true })
  await scene.storeFlags([3], { deleted: true, draft: true })
  await scene.storeFlags([4, 5], { addKeywords: ['Work', '$x'] })
  const all = [
    '* 1 FETCH (UID 1 FLAGS (\\Seen) MODSEQ (7))|',
    '* 2 FETCH (UID 2 FLAGS (\\Answered \\Flagged \\Seen $Forwarded) MODSEQ (8))|',
    '* 3 FETCH (UID 3 FLAGS (\\Answered \\Flagged \\Deleted \\Draft $Forwarded) MODSEQ (9))|',
    '* 4 FETCH (UID 4 FLAGS (\\Seen $x work) MODSEQ (10))|',
    '* 5 FETCH (UID 5 FLAGS (\\Seen $x work) MODSEQ (10))|',
  ]
  await session.run('NOOP')
  const told = async () => (await session.run('FETCH 1:5 (UID FLAGS MODSEQ)')).join('|')
  assert.equal(await told(), all.join('') + done)
  await scene.expunge(3)
  assert.match(await told(), /EXPUNGEISSUED/)
})

const peeking = '1 (FLAGS BODY.PEEK[TEXT] RFC822.HEADER BINARY.SIZE[1])'
for (const [what, enabled, asked, answer] of [
  ['BODY[]', [], '1 BODY[TEXT]', `FLAGS (\\Seen) BODY[TEXT] ${body}`],
  ['RFC822.TEXT by uid', ['CONDSTORE'], 'UID 1 RFC822.TEXT', `UID 1 FLAGS (\\Seen) MODSEQ (3) RFC822.TEXT ${body}`],
  ['BINARY, in the place that was asked for', [], '1 (BINARY[1] FLAGS)', `BINARY[1] ~${body} FLAGS (\\Seen)`],
  ['nothing that peeks', [], peeking, `FLAGS () BODY[TEXT] ${body} RFC822.HEADER ${header} BINARY.SIZE[1] 10`],
] satisfies readonly (readonly [string, readonly Extension[], string, string])[]) {
  test(`a message is marked as read by ${what}`, async () => {
    const { session, scene } = await selected([plain], { enabled })
    const command = `FETCH ${asked}`.replace(/FETCH UID/, 'UID FETCH')
    assert.equal(await told(session, command), `* 1 FETCH (${answer})|${done}`)
    const { rows } = await sql<{ event: unknown }>`
      select json_build_object('data', data - 'id', 'by', actor_kind) as event from events
      where mailbox_id = ${scene.mailbox.mailboxId} and type = 'message.changed'`.execute(stage.database.db)
    const event = { data: { folder: 'inbox', uid: 1, unread: false }, by: 'mail_program' }
    assert.deepEqual(
      rows.map((row) => row.event),
      answer.includes('\\Seen') ? [event] : [],
    )
    assert.match(await told(session, 'NOOP'), /^OK /, 'it is told once')
  })
}

test('no message is marked as read after EXAMINE', async () => {
  const { session } = await selected([plain], { command: 'EXAMINE' })
  assert.equal(await told(session, 'FETCH 1 BODY[TEXT]'), `* 1 FETCH (BODY[TEXT] {10}|body|more)|${done}`)
})

test('ids, the conversation and when a message came here are told', async () => {
  const { scene, session } = await selected([
    ...['Message-ID: <one@x.test>\n\nx', 'References: <one@x.test>\n\ny', 'Message-ID: <other@x.test>\n\nz'],
  ])
  const { rows } = await sql<{ id: number; saved_at: Date }>`
    select message.id, saved_at from mail_messages message join mail_folders folder on folder.id = message.folder_id
    where folder.mailbox_id = ${scene.mailbox.mailboxId} order by uid`.execute(stage.database.db)
  const lines = rows.map(
    (row, at) => `* ${at + 1} FETCH (EMAILID (${publicId(row.id)}) SAVEDATE ${dateTime(row.saved_at)})|`,
  )
  assert.equal(await told(session, 'FETCH 1:3 (EMAILID SAVEDATE)'), lines.join('') + done)
  const ids = (await told(session, 'FETCH 1:3 THREADID')).match(/(?<=THREADID \()[\w-]{16}(?=\))/g)
  assert.equal(ids?.length, 3)
  assert.equal(ids[0], ids[1])
  assert.notEqual(ids[0], ids[2])
})

test('a part with an unknown encoding is left out, and the command refused', async () => {
  const { session } = await selected([nested, plain])
  const refused = 'NO [UNKNOWN-CTE] A part has an encoding that is not known here'
  assert.equal(
    await told(session, 'FETCH 1:2 (UID BINARY.PEEK[3])'),
    `* 1 FETCH (UID 1)|* 2 FETCH (UID 2 BINARY[3] {0}|)|${refused}`,
  )
  assert.equal(await told(session, 'FETCH 1 BINARY.SIZE[3]'), `* 1 FETCH (UID 1)|${refused}`)
})

test('envelopes and structures that were told before are told so again, with flags as they are, and not of what is gone', async () => {
  const { session, scene } = await selected(few)
  const told = async (items: string) => (await session.run(`FETCH 1:3 ${items}`)).join('|')
  const first = await told('(UID ENVELOPE BODYSTRUCTURE)')
  assert.equal(await told('(UID ENVELOPE BODYSTRUCTURE)'), first)
  await scene.mark([2], { flagged: true })
  const flagged = first.replaceAll('UID', 'FLAGS () UID').replace('2 FETCH (FLAGS ()', '2 FETCH (FLAGS (\\Flagged)')
  assert.equal(
    await told('(FLAGS UID ENVELOPE BODYSTRUCTURE)'),
    flagged.replace(done, `* 2 FETCH (FLAGS (\\Flagged))|${done}`),
  )
  await scene.expunge(2)
  const gone = 'NO [EXPUNGEISSUED] Some of the messages have been deleted'
  const [one = '', , three = ''] = first.split(/(?=\* )/)
  assert.equal(await told('(UID ENVELOPE BODYSTRUCTURE)'), one + three.replace(done, '') + gone)
})

test('messages that are gone are left out, which only who asked by number is told', async () => {
  const { session, scene } = await selected(few)
  await scene.expunge(2)
  const there = '* 1 FETCH (UID 1)|* 3 FETCH (UID 3)|'
  const gone = 'NO [EXPUNGEISSUED] Some of the messages have been deleted'
  assert.equal(await told(session, 'FETCH 1:3 UID'), there + gone)
  assert.equal(await told(session, 'FETCH 2 (ENVELOPE BODY[])'), gone)
  assert.equal(await told(session, 'UID FETCH 1:3 UID'), `${there}* 2 EXPUNGE|${done}`)
})

test('only what has changed since is told, with its modification sequence, and what has gone', async () => {
  const { session, scene } = await selected(few, { enabled: ['QRESYNC'] })
  await scene.mark([2, 4], { flagged: true })
  await session.run('NOOP')
  const [two, four] = [
    '* 2 FETCH (UID 2 FLAGS (\\Flagged) MODSEQ (7))|',
    '* 4 FETCH (UID 4 FLAGS (\\Flagged) MODSEQ (7))|',
  ]
  assert.equal(await told(session, 'UID FETCH 1:* FLAGS (CHANGEDSINCE 6)'), two + four + done)
  assert.equal(await told(session, 'UID FETCH 1:3,5 FLAGS (CHANGEDSINCE 6)'), two + done)
  assert.equal(await told(session, 'UID FETCH 1:* FLAGS (CHANGEDSINCE 6 PARTIAL -1:-1)'), four + done)
  assert.equal(await told(session, 'FETCH 1:* FLAGS (CHANGEDSINCE 7)'), done)
  await scene.expunge(1, 5)
  assert.equal(await told(session, 'UID FETCH 1:* FLAGS (CHANGEDSINCE 7 VANISHED)'), `* VANISHED 1,5|${done}`)
  assert.equal(await told(session, 'UID FETCH 1:9 FLAGS (CHANGEDSINCE 7 VANISHED)'), `* VANISHED (EARLIER) 1,5|${done}`)
  assert.equal(await told(session, 'UID FETCH 2:9 FLAGS (CHANGEDSINCE 7 VANISHED)'), `* VANISHED (EARLIER) 5|${done}`)
  await scene.prune()
  assert.equal(await told(session, 'UID FETCH 3:99 FLAGS (CHANGEDSINCE 7 VANISHED)'), `* VANISHED (EARLIER) 5|${done}`)
  assert.equal(
    await told(session, 'UID FETCH 1:4,9:12 FLAGS (CHANGEDSINCE 7 VANISHED)'),
    `* VANISHED (EARLIER) 1|${done}`,
  )
})

test('the statement that reads one message is planned once, however often one is asked for', async () => {
  const { scene } = await selected([])
  await scene.store(Array.from({ length: 400 }, () => [plain]))
  const { mailbox, folderId } = scene.session.needSelected()
  const read = async (tx: Tx) =>
    await readContents(tx, { mailbox, folderId }, [1], { whole: 99, head: 99, structure: false })
  const plans = async (tx: Tx) => {
    const { rows } = await sql<{ plans: number }>`
      select sum(custom_plans)::integer as plans from pg_prepared_statements where statement like '%wanted_octets%'`.execute(
      tx,
    )
    return rows[0]?.plans ?? 0
  }
  await stage.db.transaction().execute(async (tx) => {
    // As where there are many messages, which are far from each other.
    await sql`set local enable_seqscan = off`.execute(tx)
    await sql`set local random_page_cost = 1000`.execute(tx)
    await sql`analyze mail_messages, mail_contents, mail_folders`.execute(tx)
    // PostgreSQL makes five plans for the values that are given before it compares these with one for any.
    for (let time = 0; time < 12; time++) await read(tx)
    const before = await plans(tx)
    for (let time = 0; time < 12; time++) await read(tx)
    assert.equal((await plans(tx)) - before, 0)
  })
})
