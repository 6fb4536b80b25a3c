import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { makeFolder, removeFolder, renameFolderTree } from '#/mail/store/make-folder.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { subscribe, unsubscribe } from '../../folders/stored.ts'

const stage = await Stage.ofFile()

const inArchive = { folder: 'archive' }
const messages = 'MessageNew MessageExpunge'

/** What is done, and what the client is told without asking, to the last line of it. */
type Step = readonly [(scene: Scene) => Promise<unknown>, ...string[]]

const rows: readonly (readonly [what: string, asked: string, ...Step[]])[] = [
  [
    'of the selected mailbox at once',
    `(SELECTED (${messages} FlagChange))  `,
    [(on) => on.add(1), '* 3 EXISTS'],
    [(on) => on.expunge(1), '* 1 EXPUNGE'],
    [(on) => on.mark([2], { seen: true }), '* 1 FETCH (FLAGS (\\Seen))'],
  ],
  [
    'items of new messages',
    '(selected (MessageNew (FLAGS BODY[TEXT]) MessageExpunge))',
    [(on) => on.add(1), '* 3 EXISTS', '* 3 FETCH (UID 3 FLAGS () BODY[TEXT] {10}', 'Dear Bob', ')'],
  ],
  [
    'of an expunge later, if it wants that',
    `(SELECTED-DELAYED (${messages} FlagChange))`,
    [(on) => on.expunge(1).then(() => on.add(1)), '* 3 EXISTS'],
    [
      (on) => on.session.run('NOOP').then((lines) => on.session.output.write(`${lines.join('\r\n')}\r\n`)),
      '* 1 EXPUNGE',
      'OK Noop completed',
    ],
  ],
  [
    'of messages in other mailboxes',
    `(PERSONAL (${messages}))`,
    [(on) => on.add(2, inArchive), '* STATUS "Archive" (MESSAGES 2 UIDNEXT 3 UIDVALIDITY N)'],
    [
      (on) => expungeMessages(stage.db, on.mailbox, 'archive', [1]),
      '* STATUS "Archive" (MESSAGES 1 UIDNEXT 3 UIDVALIDITY N)',
    ],
  ],
  [
    'of flags in other mailboxes',
    `(INBOXES NONE) (SUBTREE (archive) (${messages} FlagChange))`,
    [(on) => on.add(1, inArchive), '* STATUS "Archive" (MESSAGES 1 UIDNEXT 2 UIDVALIDITY N UNSEEN 1)'],
    [
      (on) => updateMessages(stage.db, on.mailbox, 'archive', [1], { seen: true }),
      '* STATUS "Archive" (MESSAGES 1 UIDNEXT 2 UIDVALIDITY N UNSEEN 0)',
    ],
  ],
  [
    'by the first group that has a mailbox',
    `(MAILBOXES Archive NONE) (SUBSCRIBED (${messages}))`,
    [
      (on) => on.add(1, inArchive).then(() => on.add(1, { folder: 'junk' })),
      '* STATUS "Junk" (MESSAGES 1 UIDNEXT 2 UIDVALIDITY N)',
    ],
  ],
  [
    'of mailboxes that are made, renamed and deleted',
    '(SUBTREE Projects (MailboxName))',
    [({ mailbox }) => makeFolder(stage.db, mailbox, 'Projects/A'), '* LIST () "/" "Projects/A"'],
    [
      ({ mailbox }) => renameFolderTree(stage.db, mailbox, 'Projects/A', 'Projects/B'),
      '* LIST () "/" "Projects/B" ("OLDNAME" ("Projects/A"))',
    ],
    [({ mailbox }) => removeFolder(stage.db, mailbox, 'Projects/B'), '* LIST (\\NonExistent) "/" "Projects/B"'],
  ],
  [
    'of subscriptions',
    '(PERSONAL (SubscriptionChange))',
    [async (on) => unsubscribe(stage.database.db, on.mailbox, await on.folderId('archive')), '* LIST () "/" "Archive"'],
    [
      async (on) => subscribe(stage.database.db, on.mailbox, await on.folderId('archive')),
      '* LIST (\\Subscribed) "/" "Archive"',
    ],
  ],
]

for (const [what, asked, ...steps] of rows) {
  for (const isIdle of [false, true]) {
    if (isIdle && asked.startsWith('(SELECTED-')) continue
    test(`NOTIFY has a client told ${what}${isIdle ? ', also while it is idle' : ''}`, async () => {
      using scene = await stage.scene()
      await scene.add(2)
      await scene.told('SELECT INBOX')
      assert.deepEqual(await scene.told(`NOTIFY SET ${asked}`), ['OK Notify completed'])
      const idling = isIdle && scene.session.run('IDLE')
      if (idling) await scene.session.until(/^\+/)
      for (const [act, ...told] of steps) {
        await act(scene)
        const last = told.at(-1) ?? ''
        const lines = await scene.session.untilLine((line) => asShown(line) === last)
        assert.deepEqual(lines.map(asShown), told)
      }
      scene.session.say('DONE')
      await idling
    })
  }
}

/** Names quoted or not, and without the numbers of folders. */
function asShown(line: string): string {
  return line
    .replace(/(?<=UIDVALIDITY )\d+/, 'N')
    .replace(/^(\* (?:STATUS|LIST \([^)]*\) "\/")) ([^"\s]+)/, '$1 "$2"')
    .replace(/\("OLDNAME" \(([^")]+)\)\)/, '("OLDNAME" ("$1"))')
}

test('NOTIFY with STATUS tells the state of all that are watched, but not of the selected one', async () => {
  using scene = await stage.scene()
  await scene.add(1, inArchive)
  scene.session.enable('CONDSTORE')
  await scene.told('SELECT INBOX')
  const told = await scene.told(`NOTIFY SET STATUS (MAILBOXES (INBOX Archive Nowhere) (${messages}))`)
  assert.deepEqual(told, [
    '* STATUS Archive (MESSAGES 1 UIDNEXT 2 UIDVALIDITY N HIGHESTMODSEQ 2)',
    'OK Notify completed',
  ])
})

test('a client that wants to be told at once of its mailbox is told BYE at once when that is deleted', async () => {
  using scene = await stage.scene()
  await makeFolder(stage.db, scene.mailbox, 'Projects')
  await scene.told('SELECT Projects')
  await scene.told(`NOTIFY SET (SELECTED (${messages}))`)
  await removeFolder(stage.db, scene.mailbox, 'Projects')
  await scene.session.until(/^\* BYE Selected mailbox was deleted/m)
})

test('NOTIFY NONE ends what was wanted before', async () => {
  using scene = await stage.scene()
  await scene.told('SELECT INBOX')
  await scene.told(`NOTIFY SET (SELECTED (${messages})) (PERSONAL (${messages}))`)
  await scene.told('NOTIFY NONE')
  await scene.add(1, inArchive)
  await scene.add(1)
  assert.deepEqual(await scene.told('NOOP'), ['* 1 EXISTS', 'OK Noop completed'])
})

test('NOTIFY watches no more mailboxes than may be remembered, and ends once others come', async () => {
  using scene = await stage.scene()
  const { session, mailbox } = scene
  session.room = 5
  assert.match((await scene.told(`NOTIFY SET (PERSONAL (${messages}))`))[0] ?? '', /^NO \[NOTIFICATIONOVERFLOW\]/)
  session.room = 7
  await scene.told(`NOTIFY SET (SELECTED (${messages})) (PERSONAL (MailboxName))`)
  await makeFolder(stage.db, mailbox, 'a')
  assert.deepEqual(await session.untilLine((line) => line.endsWith(' a')), ['* LIST () "/" a'])
  await makeFolder(stage.db, mailbox, 'b')
  const [overflow = ''] = await session.until(/OVERFLOW/)
  assert.match(overflow, /^\* OK \[NOTIFICATIONOVERFLOW\]/)
  assert.deepEqual([session.room, stage.parts.news.mailboxes.size], [7, 0])
})

test('NOTIFY keeps nothing of a client that has gone meanwhile', async () => {
  const scene = await stage.scene()
  scene.session.room = 6
  const answered = scene.told(`NOTIFY SET (PERSONAL (${messages}))`)
  scene[Symbol.dispose]()
  await answered
  assert.deepEqual([scene.session.room, stage.parts.news.mailboxes.size], [6, 0])
})

for (const [what, asked, answer] of [
  [
    'an event that there is not',
    '(PERSONAL (MessageNew MessageExpunge AnnotationChange))',
    /^NO \[BADEVENT \(MessageNew MessageExpunge FlagChange MailboxName SubscriptionChange\)\]/,
  ],
  ['new messages without expunges', '(PERSONAL (MessageNew))', /^BAD/],
  ['flags without messages', '(PERSONAL (FlagChange))', /^BAD/],
  ['the selected mailbox twice', `(SELECTED (${messages})) (SELECTED-DELAYED (${messages}))`, /^BAD/],
  ['names of the selected mailbox', '(SELECTED (MailboxName))', /^BAD/],
  ['items of messages in other mailboxes', '(PERSONAL (MessageNew (FLAGS) MessageExpunge))', /^BAD/],
  ['an unknown filter', `(EVERYTHING (${messages}))`, /^BAD/],
  ['no group', '', /^BAD/],
  ['half a group', '(PERSONAL', /^BAD/],
] as const) {
  test(`NOTIFY refuses ${what}`, async () => {
    using scene = await stage.scene()
    const [told] = await scene.told(`NOTIFY SET ${asked}`)
    assert.match(told ?? '', answer)
  })
}
