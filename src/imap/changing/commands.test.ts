import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Database } from '#/db/open.ts'
import { Refusal } from '#/errors.ts'
import { findFolder } from '#/mail/folders.ts'
import { sqlMailHost } from '#/mail/sql-mail-host.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { MessageReader } from '#/mime/reader.ts'
import type { Copy, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { copy } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { Bad, No } from '../answers.ts'
import type { Selected } from '../selected/selected.ts'
import { SequenceMap } from '../selected/sequence-map.ts'
import type { Extension, ImapParts, Session } from '../session/session.ts'
import type { Octets } from '../wire/arguments.ts'
import { Parser } from '../wire/parser.ts'
import { changingCommands } from './commands.ts'

const key = idHashKey('a secret')
const reader = new MessageReader()
let database: Database
let host: MailHost
before(async () => {
  database = await testDatabase()
  host = sqlMailHost(database.db, key)
})
after(async () => {
  await reader[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** Exchanges with a client that has selected INBOX, in which messages with these marks have the uids from 1: what it says, what it is
 *  told, and what is there then. A literal is its text in braces. */
const exchanges: readonly (readonly [
  sentence: string,
  held: readonly Partial<Copy>[],
  said: string,
  told: readonly string[],
  then: Readonly<Record<string, string>>,
  options?: {
    readonly enabled?: readonly Extension[]
    readonly gone?: readonly number[]
    readonly isReadOnly?: true
    readonly isFull?: true
  },
])[] = [
  [
    'STORE adds flags, and tells all that there are',
    [{ seen: true }, {}],
    'STORE 1 +FLAGS (\\Deleted $Forwarded Work)',
    ['* 1 FETCH (FLAGS (\\Deleted \\Seen $Forwarded work))', 'OK Store completed'],
    { inbox: '1:seen,forwarded,deleted,work 2:' },
  ],
  [
    'STORE takes flags without parentheses',
    [{ seen: true }],
    'STORE 1 -FLAGS \\seen \\DRAFT',
    ['* 1 FETCH (FLAGS ())', 'OK Store completed'],
    { inbox: '1:' },
  ],
  [
    'STORE replaces all flags',
    [{ seen: true, flagged: true, keywords: ['home'] }],
    'STORE 1 FLAGS (\\Answered \\Recent work)',
    ['* 1 FETCH (FLAGS (\\Answered work))', 'OK Store completed'],
    { inbox: '1:answered,work' },
    {},
  ],
  [
    'STORE takes all flags away',
    [{ seen: true, keywords: ['home'] }],
    'STORE 1 FLAGS ()',
    ['* 1 FETCH (FLAGS ())', 'OK Store completed'],
    { inbox: '1:' },
  ],
  [
    'UID STORE tells the uid',
    [{}, {}],
    'UID STORE 2:9 +FLAGS (\\Seen)',
    ['* 2 FETCH (UID 2 FLAGS (\\Seen))', 'OK Store completed'],
    { inbox: '1: 2:seen' },
  ],
  [
    'a message that is so already is not told',
    [{ seen: true }, {}],
    'STORE 1:2 +FLAGS (\\Seen)',
    ['* 2 FETCH (FLAGS (\\Seen))', 'OK Store completed'],
    { inbox: '1:seen 2:seen' },
  ],
  [
    'with .SILENT nothing is told',
    [{}],
    'STORE 1 +FLAGS.SILENT (\\Seen)',
    ['knows 3', 'OK Store completed'],
    { inbox: '1:seen' },
  ],
  [
    'with .SILENT a client that keeps modification sequences is told those',
    [{}],
    'STORE 1 +FLAGS.SILENT (\\Seen)',
    ['* 1 FETCH (MODSEQ (3))', 'OK Store completed'],
    { inbox: '1:seen' },
    { enabled: ['CONDSTORE'] },
  ],
  [
    'UNCHANGEDSINCE leaves alone what has changed since',
    [{}, {}],
    'STORE 1:2 (UNCHANGEDSINCE 1) +FLAGS (\\Seen)',
    ['OK [MODIFIED 1:2] Conditional store failed for some', 'enabled CONDSTORE'],
    { inbox: '1: 2:' },
  ],
  [
    'UNCHANGEDSINCE changes what has not',
    [{}],
    'UID STORE 1 (UNCHANGEDSINCE 2) +FLAGS (\\Seen)',
    ['* 1 FETCH (UID 1 FLAGS (\\Seen) MODSEQ (3))', 'OK Store completed', 'enabled CONDSTORE'],
    { inbox: '1:seen' },
  ],
  [
    'messages that are gone are told by sequence numbers',
    [{}, {}],
    'STORE 1:2 +FLAGS (\\Seen)',
    ['* 1 FETCH (FLAGS (\\Seen))', 'NO [EXPUNGEISSUED] Some of the messages no longer exist'],
    { inbox: '1:seen' },
    { gone: [2] },
  ],
  [
    'messages that are gone are left out by uids',
    [{}, {}],
    'UID STORE 1:2 +FLAGS (\\Seen)',
    ['* 1 FETCH (UID 1 FLAGS (\\Seen))', 'OK Store completed'],
    { inbox: '1:seen' },
    { gone: [2] },
  ],
  [
    'a mailbox that can only be read is not changed',
    [{}],
    'STORE 1 +FLAGS (\\Seen)',
    ['NO [READ-ONLY] The mailbox can only be read'],
    { inbox: '1:' },
    { isReadOnly: true },
  ],
  [
    'a sequence number that there is not is none',
    [{}],
    'STORE 2 +FLAGS (\\Seen)',
    ['BAD There are 1 messages'],
    { inbox: '1:' },
  ],
  [
    'an unknown flag with a backslash is none',
    [{}],
    'STORE 1 +FLAGS (\\Important)',
    ['BAD There is no such flag with a backslash'],
    { inbox: '1:' },
  ],
  [
    'a keyword longer than 50 characters is none',
    [{}],
    `STORE 1 +FLAGS (${'k'.repeat(51)})`,
    ['invalid_request'],
    { inbox: '1:' },
  ],
  [
    'very many keywords are too many',
    [{}],
    `STORE 1 +FLAGS (${Array.from({ length: 101 }, (_, at) => `k${at}`).join(' ')})`,
    ['NO [LIMIT] A command may name at most 100 keywords'],
    { inbox: '1:' },
  ],
  [
    'STORE has one modifier',
    [{}],
    'STORE 1 (CHANGEDSINCE 3) FLAGS (\\Seen)',
    ['BAD The one modifier is UNCHANGEDSINCE'],
    { inbox: '1:' },
  ],

  [
    'COPY tells the new uids',
    [{ seen: true }, {}, { keywords: ['work'] }],
    'COPY 1,3 Archive',
    ['OK [COPYUID <archive> 1,3 1:2] Copy completed'],
    { inbox: '1:seen 2: 3:work', archive: '1:seen 2:work' },
  ],
  [
    'COPY to the same mailbox makes other messages',
    [{}],
    'UID COPY 1 inbox',
    ['OK [COPYUID <inbox> 1 2] Copy completed'],
    { inbox: '1: 2:' },
  ],
  [
    'COPY does not create a mailbox',
    [{}],
    'COPY 1 Later',
    ['NO [TRYCREATE] There is no such mailbox; create it first'],
    { inbox: '1:' },
  ],
  ['COPY of no message', [{}], 'UID COPY 7 Archive', ['OK No messages to copy'], { archive: '' }],
  [
    'COPY is refused to a full organization',
    [{}],
    'COPY 1 Archive',
    ['NO [OVERQUOTA] The storage of the organization is full'],
    { archive: '' },
    { isFull: true },
  ],
  [
    'COPY goes from a mailbox that can only be read',
    [{}],
    'COPY 1 Archive',
    ['OK [COPYUID <archive> 1 1] Copy completed'],
    { archive: '1:' },
    { isReadOnly: true },
  ],

  [
    'MOVE tells the new uids before the expunge',
    [{ flagged: true }, {}],
    'MOVE 1 Trash',
    ['* OK [COPYUID <trash> 1 1] Moved', 'OK Move completed'],
    { inbox: '2:', trash: '1:flagged' },
  ],
  [
    'UID MOVE tells the modification sequence with QRESYNC',
    [{}, {}],
    'UID MOVE 1:* Trash',
    ['* OK [COPYUID <trash> 1:2 1:2] Moved', 'OK [HIGHESTMODSEQ 4] Move completed'],
    { inbox: '', trash: '1: 2:' },
    { enabled: ['QRESYNC'] },
  ],
  [
    'MOVE goes on in a full organization',
    [{}],
    'MOVE 1 Trash',
    ['* OK [COPYUID <trash> 1 1] Moved', 'OK Move completed'],
    { trash: '1:' },
    { isFull: true },
  ],
  [
    'MOVE changes no mailbox that can only be read',
    [{}],
    'MOVE 1 Trash',
    ['NO [READ-ONLY] The mailbox can only be read'],
    { inbox: '1:' },
    { isReadOnly: true },
  ],
  [
    'MOVE does not create a mailbox',
    [{}],
    'MOVE 1 Later',
    ['NO [TRYCREATE] There is no such mailbox; create it first'],
    { inbox: '1:' },
  ],
  ['MOVE of what is gone', [{}], 'MOVE 1 Trash', ['OK No messages to move'], { trash: '' }, { gone: [1] }],

  [
    'EXPUNGE deletes what is marked',
    [{ deleted: true }, {}, { deleted: true }],
    'EXPUNGE',
    ['OK Expunge completed'],
    { inbox: '2:' },
  ],
  [
    'UID EXPUNGE deletes what is marked among its uids',
    [{ deleted: true }, {}, { deleted: true }],
    'UID EXPUNGE 2:3',
    ['OK [HIGHESTMODSEQ 3] Expunge completed'],
    { inbox: '1:deleted 2:' },
    { enabled: ['CONDSTORE'] },
  ],
  ['EXPUNGE of nothing', [{}], 'EXPUNGE', ['OK Expunge completed'], { inbox: '1:' }, { enabled: ['CONDSTORE'] }],
  [
    'EXPUNGE changes no mailbox that can only be read',
    [{ deleted: true }],
    'EXPUNGE',
    ['NO [READ-ONLY] The mailbox can only be read'],
    { inbox: '1:deleted' },
    { isReadOnly: true },
  ],

  [
    'APPEND stores a message',
    [],
    'APPEND Drafts (\\Draft \\Seen Work) "01-Feb-2020 10:00:00 +0100" {Subject: a\r\n\r\nb}',
    ['OK [APPENDUID <drafts> 1] Append completed'],
    { drafts: '1:seen,draft,work' },
  ],
  [
    'APPEND stores several, or none',
    [{}],
    'APPEND INBOX {a: b\n\nc} () {d: e\r\n} (\\Seen) {f: g}',
    ['OK [APPENDUID <inbox> 2:4] Append completed'],
    { inbox: '1: 2: 3: 4:seen' },
  ],
  [
    'APPEND with an empty message stores none',
    [],
    'APPEND INBOX {a: b} {}',
    ['NO [CANNOT] An empty message is none'],
    { inbox: '' },
  ],
  [
    'APPEND takes NUL in a literal8',
    [],
    'APPEND INBOX ~{a: b\r\n\r\n\0}',
    ['OK [APPENDUID <inbox> 1] Append completed'],
    { inbox: '1:' },
  ],
  [
    'APPEND takes no NUL in another literal',
    [],
    'APPEND INBOX {a: b\r\n\r\n\0}',
    ['BAD A message with NUL must be sent as a literal8'],
    { inbox: '' },
  ],
  [
    'APPEND takes a header in UTF-8',
    [],
    'APPEND INBOX UTF8 (~{Subject: \u00e4\r\n\r\n})',
    ['OK [APPENDUID <inbox> 1] Append completed'],
    { inbox: '1:' },
  ],
  [
    'APPEND does not create a mailbox',
    [],
    'APPEND Later {a: b}',
    ['NO [TRYCREATE] There is no such mailbox; create it first'],
    {},
  ],
  [
    'APPEND is refused to a full organization',
    [{}],
    'APPEND INBOX {a: b}',
    ['NO [OVERQUOTA] The storage of the organization is full'],
    { inbox: '1:' },
    { isFull: true },
  ],
  [
    'APPEND takes no message above the limit',
    [],
    `APPEND INBOX {${'x'.repeat(25 * 1024 * 1024 + 1)}}`,
    ['NO [TOOBIG] A message may have 26214400 octets'],
    { inbox: '' },
  ],

  [
    'REPLACE stores a message in place of another',
    [{}, { draft: true }],
    'REPLACE 2 Drafts (\\Draft) {a: b}',
    ['* OK [APPENDUID <drafts> 1] Replaced', 'OK Replace completed'],
    { inbox: '1:', drafts: '1:draft' },
  ],
  [
    'UID REPLACE may stay in its mailbox',
    [{}],
    'UID REPLACE 1 INBOX {a: b}',
    ['* OK [APPENDUID <inbox> 2] Replaced', 'OK Replace completed'],
    { inbox: '2:' },
  ],
  [
    'REPLACE of what is gone stores nothing',
    [{}],
    'REPLACE 1 Drafts {a: b}',
    ['NO [EXPUNGEISSUED] The message no longer exists'],
    { drafts: '' },
    { gone: [1] },
  ],
  [
    'REPLACE of what there never was stores nothing',
    [{}],
    'UID REPLACE 2 Drafts {a: b}',
    ['NO [NONEXISTENT] No such message'],
    { drafts: '' },
  ],
]

for (const [
  sentence,
  held,
  said,
  told,
  then,
  { enabled = [], gone = [], isReadOnly = false, isFull = false } = {},
] of exchanges) {
  test(sentence, async () => {
    const { mailbox, session, lines } = await inInbox(held, { enabled, isReadOnly })
    await host.expunge(mailbox, 'inbox', gone)
    if (isFull) await fill(mailbox)
    await answer(session, said, lines)
    const { rows } = await sql<{ name: string; id: number }>`
      select name, id from mail_folders where mailbox_id = ${mailbox.mailboxId}`.execute(database.db)
    const ids = new Map(rows.map(({ name, id }) => [name, String(id)]))
    const expected = told.map((line) => line.replace(/<(\w+)>/, (_, name) => ids.get(name) ?? name))
    assert.deepEqual(
      told.some((line) => line.startsWith('knows')) ? lines : lines.filter((line) => !line.startsWith('knows')),
      expected,
    )
    for (const [folder, messages] of Object.entries(then)) assert.equal(await there(mailbox, folder), messages)
  })
}

/** A new mailbox with such messages in its inbox, and a session that has selected it. */
async function inInbox(
  held: readonly Partial<Copy>[],
  { enabled, isReadOnly }: { enabled: readonly Extension[]; isReadOnly: boolean },
) {
  const mailbox = await newMailbox(database.db, host, await newDomain(database.db), 'ada')
  await database.db.transaction().execute((tx) =>
    host.append(
      tx,
      held.map((one) => copy(mailbox, one)),
    ),
  )
  const lines: string[] = []
  const { id, modseq } = await findFolder(database.db, mailbox, 'inbox')
  const selected: Selected = {
    ...{ mailbox, name: 'INBOX', folder: 'inbox', folderId: id, isReadOnly, savedSearch: [], modseq },
    messages: new SequenceMap(held.map((_, index) => index + 1)),
    knows: (modseq, except = []) => void lines.push(['knows', modseq, ...except].join(' ')),
  }
  return { mailbox, session: sessionOf(selected, enabled, lines), lines }
}

function sessionOf(selected: Selected, enabled: readonly Extension[], lines: string[]): Session {
  const all = new Set(enabled)
  const parts: Partial<ImapParts> = {
    ...{ db: database.db, mailHost: host, reader, idKey: key, log: pino({ level: 'silent' }) },
    clock: { now: () => Date.UTC(2026, 10, 26) },
  }
  const session: Partial<Session> = {
    parts: parts as ImapParts,
    output: {
      write(piece) {
        lines.push(...String(piece).trimEnd().split('\r\n'))
        return undefined
      },
    },
    user: { mailbox: selected.mailbox, address: 'ada@example.com', by: { kind: 'mail_program', id: null, name: '' } },
    enabled: all,
    enable: (extension) => void all.add(extension),
    selected,
    needSelected: () => selected,
    signal: AbortSignal.timeout(60_000),
  }
  return session as Session
}

/** Adds the answer to a command to the lines. */
async function answer(session: Session, said: string, lines: string[]): Promise<void> {
  const literals: Octets[] = []
  const text = said.replace(/(~?)\{([^}]*)\}/gs, (_, mark: string, octets: string) => {
    literals.push({ bytes: Buffer.from(octets), isBinary: mark !== '' })
    return '\0'
  })
  const [name = ''] = /^(UID )?\w+/.exec(text) ?? []
  const handler = changingCommands[name]
  assert.ok(handler, name)
  const before = session.enabled.size
  try {
    const args = new Parser({ text, literals }, false, name.length)
    const { text: end, code } = await handler(session, { tag: 'a', name, args })
    lines.push(`OK ${code === undefined ? '' : `[${code}] `}${end}`)
  } catch (error) {
    if (error instanceof No) lines.push(`NO ${error.code === undefined ? '' : `[${error.code}] `}${error.message}`)
    else if (error instanceof Bad) lines.push(`BAD ${error.message}`)
    else if (error instanceof Refusal) lines.push(error.code)
    else throw error
  }
  lines.push(...[...session.enabled].slice(before).map((extension) => `enabled ${extension}`))
}

async function fill({ organizationId }: MailboxRef): Promise<void> {
  await sql`
    update organization_usage set storage_bytes = (select max(storage_bytes) from plans)
    where organization_id = ${organizationId}`.execute(database.db)
}

/** `1:seen,work 2:`: the uids of a folder's messages and their marks. */
async function there({ mailboxId }: MailboxRef, folder: string): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select uid || ':' || concat_ws(',', case when seen then 'seen' end, case when flagged then 'flagged' end,
      case when answered then 'answered' end, case when forwarded then 'forwarded' end, case when deleted then 'deleted' end,
      case when draft then 'draft' end, nullif(array_to_string(keywords, ','), '')) as text
    from mail_folders folder join mail_messages on folder_id = folder.id
    where mailbox_id = ${mailboxId} and folder.name = ${folder} order by uid`.execute(database.db)
  return rows.map(({ text }) => text).join(' ')
}
