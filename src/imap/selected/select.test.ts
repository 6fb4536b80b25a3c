import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { FolderNews, type FolderWatch } from './folder-news.ts'

const stage = await Stage.ofFile()

const flags = '\\Answered \\Flagged \\Deleted \\Seen \\Draft $Forwarded'

test('SELECT tells what RFC 3501 asks for, and the keywords of the folder', async () => {
  using scene = await stage.scene()
  await scene.add(2, { seen: true })
  await scene.add(2, { keywords: ['work', '$label1'] })
  await scene.expunge(1)
  assert.deepEqual(await scene.told('SELECT inbox'), [
    ...[`* FLAGS (${flags} $label1 work)`, `* OK [PERMANENTFLAGS (${flags} $label1 work \\*)] Flags permitted`],
    ...['* 3 EXISTS', '* 0 RECENT', '* OK [UNSEEN 2] First message without \\Seen'],
    ...['* OK [UIDVALIDITY N] Uids are valid', '* OK [UIDNEXT 5] Predicted next uid'],
    ...['* OK [HIGHESTMODSEQ 4] Highest modification sequence', '* OK [MAILBOXID (fN)] Mailbox id'],
    'OK [READ-WRITE] Select completed',
  ])
})

test('nothing is watched for a client that goes while its mailbox is read', async () => {
  let watches = 0
  class CountingNews extends FolderNews {
    override watch(...given: Parameters<FolderNews['watch']>): FolderWatch {
      watches++
      const watch = super.watch(...given)
      const end = () => {
        watches--
        watch[Symbol.dispose]()
      }
      return { ...watch, [Symbol.dispose]: end }
    }
  }
  await using news = new CountingNews(stage.database, stage.parts.log)
  const scene = await stage.scene()
  const session = scene.another({ ...stage.parts, news })
  const selecting = session.run('SELECT INBOX')
  session[Symbol.dispose]()
  await selecting
  assert.equal(watches, 0)
})

test('SELECT with IMAP4rev2 tells how a mailbox is written that was named otherwise', async () => {
  using scene = await stage.scene()
  scene.session.enable('IMAP4rev2')
  assert.ok((await scene.told('SELECT inbox')).includes('* LIST () "/" INBOX ("OLDNAME" (inbox))'))
})

test('EXAMINE with IMAP4rev2 tells what RFC 9051 asks for, after the mailbox before was closed', async () => {
  using scene = await stage.scene()
  scene.session.enable('IMAP4rev2')
  await scene.told('SELECT Sent')
  assert.deepEqual(await scene.told('EXAMINE INBOX (CONDSTORE)'), [
    ...['* OK [CLOSED] Previous mailbox closed', `* FLAGS (${flags})`, '* OK [PERMANENTFLAGS ()] No flags permitted'],
    ...['* 0 EXISTS', '* OK [UIDVALIDITY N] Uids are valid', '* OK [UIDNEXT 1] Predicted next uid'],
    ...['* OK [HIGHESTMODSEQ 1] Highest modification sequence', '* OK [MAILBOXID (fN)] Mailbox id'],
    ...['* LIST () "/" INBOX', 'OK [READ-ONLY] Examine completed'],
  ])
  assert(scene.session.enabled.has('CONDSTORE'))
})

/** After messages 1 to 6 came (modseq 2), 3 was starred (3), 2 and 5 went (4, 5), 7 came (6). */
async function withHistory(scene: Scene): Promise<void> {
  await scene.add(6)
  await scene.mark([3], { flagged: true })
  await scene.expunge(2, 5)
  await scene.add(1)
}

const isOfResync = (line: string) => /VANISHED|FETCH/.test(line)
const third = '* 2 FETCH (UID 3 FLAGS (\\Flagged) MODSEQ (3))'
const seventh = '* 5 FETCH (UID 7 FLAGS () MODSEQ (6))'

for (const [what, remembered, whole, pruned = whole] of [
  ['all that changed', '% 2', ['* VANISHED (EARLIER) 2,5', third, seventh]],
  ['what went since its state', '% 4', ['* VANISHED (EARLIER) 5', seventh], ['* VANISHED (EARLIER) 2,5', seventh]],
  ['nothing if nothing has changed', '% 6', []],
  ['what it says that it knows', '% 2 1:3,6', ['* VANISHED (EARLIER) 2', third]],
  ['nothing of another uidvalidity', '77 2', []],
  ['what went behind messages that kept their numbers', '% 2 1:6 (1,6 1,6)', ['* VANISHED (EARLIER) 2,5', third]],
  [
    'of a pruned log what went behind the last message that kept its number',
    '% 4 1,3:6 (1:2,4:5 1,3,5:6)',
    ['* VANISHED (EARLIER) 5'],
  ],
  ['nothing of the future', '% 99', []],
] as const) {
  for (const isPruned of [false, true]) {
    test(`QRESYNC tells ${what}${isPruned ? ', also without the log of expunges' : ''}`, async () => {
      using scene = await stage.scene()
      scene.session.enable('QRESYNC')
      await withHistory(scene)
      if (isPruned) await scene.prune()
      const told = await scene.told(`SELECT INBOX (QRESYNC (${remembered}))`)
      assert.deepEqual(told.filter(isOfResync), isPruned ? pruned : whole)
    })
  }
}

for (const [what, command, answer] of [
  ['an unknown mailbox', 'SELECT Nowhere', 'NO [NONEXISTENT] No such mailbox'],
  ['QRESYNC that was not enabled', 'SELECT INBOX (QRESYNC (1 2))', 'BAD QRESYNC must be enabled before'],
  ['another parameter', 'SELECT INBOX (FASTER)', 'BAD SELECT has no such parameter'],
  ['CHECK without a mailbox', 'CHECK', 'BAD No mailbox is selected'],
  ['QRESYNC with *', 'SELECT INBOX (QRESYNC (1 2 1:*))', 'BAD QRESYNC takes neither * nor $'],
  ['QRESYNC with more uids', 'SELECT INBOX (QRESYNC (1 2 1:9 (1:2 1:3)))', 'BAD QRESYNC has more uids than'],
  ['QRESYNC with fewer uids', 'SELECT INBOX (QRESYNC (1 2 1:9 (1:2 1)))', 'BAD QRESYNC has more sequence numbers than'],
  ['QRESYNC without its end', 'SELECT INBOX (QRESYNC (1 2)', 'BAD'],
] as const) {
  test(`${what} is refused`, async () => {
    using scene = await stage.scene()
    if (what.startsWith('QRESYNC with')) scene.session.enable('QRESYNC')
    const [told = ''] = await scene.told(command)
    assert.equal(told.slice(0, answer.length), answer)
  })
}

test('a mailbox that cannot be selected leaves none selected, and one that cannot be read leaves the one before', async () => {
  using scene = await stage.scene()
  await scene.told('SELECT INBOX')
  await scene.told('SELECT')
  assert.equal(scene.session.selected?.name, 'INBOX')
  assert.deepEqual(await scene.told('SELECT Nowhere'), [
    '* OK [CLOSED] Previous mailbox closed',
    'NO [NONEXISTENT] No such mailbox',
  ])
  assert.equal(scene.session.selected, undefined)
})

test('UNSELECT leaves the mailbox', async () => {
  using scene = await stage.scene()
  await scene.told('SELECT INBOX')
  assert.deepEqual(await scene.told('UNSELECT'), ['OK Unselect completed'])
  assert.equal(scene.session.selected, undefined)
})
