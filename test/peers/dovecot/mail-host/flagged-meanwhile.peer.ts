import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AppendMessage, appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { readMessage } from '#/mime/message.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { letter, rawOf } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { sharedDovecot } from '#test/peers/dovecot/shared-dovecot.ts'
import { tap } from '#test/peers/dovecot/tap.ts'

const shared = sharedDovecot()

const count = 6

/** Six messages in the inbox and in drafts. Once `flagging` is set, another program changes a flag of each before the server gets
 *  any command that reads or changes messages; so the server reports all six while the command runs. */
async function start() {
  await using starting = new AsyncDisposableStack()
  let flagging = false
  const other = new Map<string, ImapSession>()
  const flag = async () => {
    for (const session of other.values()) {
      await session.connection.run(['UID STORE 1:* +FLAGS.SILENT (\\Answered)'])
      await session.connection.run(['UID STORE 1:* -FLAGS.SILENT (\\Answered)'])
    }
  }
  const way = starting.use(
    await tap(
      shared.dovecot.server,
      (answer) => answer,
      (said) => (flagging && /UID (?:FETCH|STORE|MOVE|COPY|EXPUNGE|SEARCH|SORT)|FETCH/.test(said) ? flag() : undefined),
    ),
  )
  const host = starting.use(imapMailHost(shared.database.db, { ...shared.dovecot.server, port: way.port }))
  const ada = await newMailbox(shared.database.db, host, await newDomain(shared.database.db), 'ada')
  await host.folders(ada)
  for (const path of ['INBOX', 'Drafts']) {
    const session = await ImapSession.open(shared.dovecot.server, ada.mailboxId)
    starting.defer(() => session.connection.close())
    await appendMessages(
      session,
      path,
      Array.from({ length: count }, (_, at) => message(at + 1)),
    )
    await session.select(path)
    other.set(path, session)
  }
  const disposing = starting.move()
  return {
    ...{ host, ada, flag },
    meanwhile: () => {
      flagging = true
    },
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
  }
}

function message(uid: number): AppendMessage {
  const rest = { messageId: null, receivedAt: new Date(0), flagged: false, filteredBy: [] }
  return { ...rest, seen: false, keywords: ['old'], raw: letter({ subject: `Number ${uid}` }) }
}

/** What the inbox has: uids, `s` where read, `f` where flagged, and keywords. */
async function shown(host: MailHost, mailbox: MailboxRef, folder = 'inbox'): Promise<string> {
  const { messages } = await host.list(mailbox, folder, { limit: 100, page: 0 })
  return messages
    .toSorted((a, b) => a.uid - b.uid)
    .map(({ uid, seen, flagged, keywords }) => [uid, seen ? 's' : '', flagged ? 'f' : '', ...keywords].join(''))
    .join(' ')
}

const others = '1old 2old 4old 5old 6old'
const whole = '1old 2old 3old 4old 5old 6old'
const draft = readMessage(letter({ 'message-id': '<draft.9@example.test>' }))

for (const [what, work, answer, inbox, archive] of [
  ['is deleted', (host, ada) => host.expunge(ada, 'inbox', [3]), [3], others, ''],
  ['is not there to be deleted', (host, ada) => host.expunge(ada, 'inbox', [9]), [], whole, ''],
  ['is read', (host, ada) => host.update(ada, 'inbox', [3], { seen: true }), [3], `1old 2old 3sold 4old 5old 6old`, ''],
  [
    'is flagged',
    (host, ada) => host.update(ada, 'inbox', [3], { flagged: true }),
    [3],
    '1old 2old 3fold 4old 5old 6old',
    '',
  ],
  ['is moved', (host, ada) => host.update(ada, 'inbox', [3], { folder: 'archive' }), [3], others, '1old'],
  [
    'is labelled and moved, as by a run of filters',
    async (host, ada) => {
      const { messages } = await host.headings(ada, 'inbox', { after: 2, last: 3, most: 100, wanted: 'header' })
      assert.deepEqual(
        messages.map(({ uid, keywords }) => [uid, ...keywords]),
        [[3, 'old']],
      )
      return host.update(
        ada,
        'inbox',
        messages.map(({ uid }) => uid),
        { addKeywords: ['new'], folder: 'archive' },
      )
    },
    [3],
    others,
    '1newold',
  ],
  [
    'loses a label, as by its removal',
    (host, ada) => host.update(ada, 'inbox', [3], { removeKeywords: ['old'] }),
    [3],
    '1old 2old 3 4old 5old 6old',
    '',
  ],
  [
    'is no draft that could be replaced',
    (host, ada) => host.saveDraft(ada, { message: draft, savedAt: new Date(), replaces: [9] }),
    undefined,
    whole,
    '',
  ],
  [
    'is summarized',
    async (host, ada) => (await host.summaries(ada, 'inbox', [3])).map(({ uid }) => uid),
    [3],
    whole,
    '',
  ],
  [
    'is shown',
    async (host, ada) => /Number \d/.exec(String(await rawOf(await host.read(ada, 'inbox', 3))))?.[0],
    'Number 3',
    whole,
    '',
  ],
  ['is not there to be shown', (host, ada) => host.read(ada, 'inbox', 9), undefined, whole, ''],
] satisfies [string, (host: MailHost, ada: MailboxRef) => Promise<unknown>, unknown, string, string][]) {
  test(`one message ${what}, and no other, while another program flags all`, async () => {
    await using at = await start()
    await shown(at.host, at.ada)
    at.meanwhile()
    const answered = await work(at.host, at.ada)
    assert.deepEqual(answered instanceof Map ? [...answered.keys()] : answered, answer)
    assert.deepEqual([await shown(at.host, at.ada), await shown(at.host, at.ada, 'archive')], [inbox, archive])
    if (what.includes('draft')) assert.equal(await shown(at.host, at.ada, 'drafts'), whole)
  })
}

test('what another program flags meanwhile reaches those who follow the folder', async () => {
  await using at = await start()
  const { state } = await at.host.changes(at.ada, 'inbox', undefined)
  at.meanwhile()
  await at.host.update(at.ada, 'inbox', [3], { seen: true })
  const { flags } = await at.host.changes(at.ada, 'inbox', state)
  assert.deepEqual([...flags.uid].sort(), [1, 2, 3, 4, 5, 6])
  assert.deepEqual(flags.seen[flags.uid.indexOf(3)], 1)
})

test('a mailbox is emptied, each message once, while another program flags', async () => {
  await using at = await start()
  at.meanwhile()
  assert.equal((await Array.fromAsync(at.host.empty(at.ada))).at(-1), 2 * count)
})
