import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ManualClock } from '#/base/clock/manual.ts'
import { publicId } from '#/base/text/message-id.ts'
import { partsOn } from '#test/world/imap/heard-session.ts'
import { Stage } from '#test/world/imap/stage.ts'
import { searchCommands } from './commands.ts'

/** Received on these days of November 2026, at noon. */
const on = (day: number) => ({ receivedAt: new Date(Date.UTC(2026, 10, day, 12)) })

const stage = await Stage.ofFile(searchCommands)
const scene = await stage.scene()
await scene.store([
  [
    'From: Ann Smith <ann@books.example>\r\nTo: Bob <bob@shop.example>\r\nSubject: Ten invoices\r\nDate: Mon, 2 Nov 2026 23:30:00 -0800\r\n' +
      'Message-ID: <one@books.example>\r\n\r\nPlease pay them soon.\r\n',
    { ...on(3), seen: true },
  ],
  [
    'From: bob@shop.example\r\nTo: Ann Smith <ann@books.example>, =?utf-8?q?Zo=C3=AB?= <zoe@books.example>\r\nCc: Carl <carl@shop.example>\r\n' +
      'Subject: =?iso-8859-1?q?Caf=E9?= and cake\r\nDate: Wed, 4 Nov 2026 10:00:00 +0000\r\nMessage-ID: <two@shop.example>\r\n' +
      'In-Reply-To: <one@books.example>\r\n\r\nPaid at the caf\xe9.\r\n\r\n> Please pay them\r\n> soon.\r\n-- \r\nBob, the shopkeeper\r\n',
    { ...on(4), flagged: true, keywords: ['work', '$label1'] },
  ],
  [
    'From: News <news@list.example>\r\nSender: Robot <robot@list.example>\r\nTo: readers@list.example\r\nList-Id: Reading <reading.list.example>\r\n' +
      'X-Mailer: Pigeon 3\r\nSubject: Weekly  news\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
      '--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Stra&szlig;e <b>wide</b>open</p>\r\n' +
      '--b\r\nContent-Type: text/plain; name=minutes.txt\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n' +
      `${Buffer.from('The walrus agreed').toString('base64')}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n` +
      'Subject: Enclosed matter\r\n\r\nWithin the envelope\r\n--b--\r\n',
    { ...on(10), answered: true, deleted: true },
  ],
  [
    'From: Desk: eve@desk.example;\r\nTo: hidden readers:;\r\nCc: =?utf-8?q?Friends?=: Dora <dora@desk.example>;\r\nSubject: Nothing\r\n\r\n',
    { ...on(20), draft: true, forwarded: true },
  ],
  [
    `From: ann@books.example\r\nSubject: Large\r\nDate: never\r\n\r\n${'All work and no play.\r\n'.repeat(20_000)}omega\r\n`,
    on(21),
  ],
])
await scene.session.run('SELECT INBOX')

/** What is told before the completion, or the refusal. */
const told = async (command: string) => {
  const lines = await scene.session.run(command)
  return (lines.at(-1)?.startsWith('OK') ? lines.slice(0, -1) : lines).join('|')
}
/** Uids, as UID SEARCH answers them. */
const found = async (program: string) => /^\* SEARCH *(.*)$/.exec(await told(`UID SEARCH ${program}`))?.[1]

for (const [program, uids] of [
  ['ALL', '1 2 3 4 5'],
  ['SEEN', '1'],
  ['UNSEEN', '2 3 4 5'],
  ['FLAGGED', '2'],
  ['UNFLAGGED UNSEEN', '3 4 5'],
  ['ANSWERED', '3'],
  ['UNANSWERED', '1 2 4 5'],
  ['DELETED', '3'],
  ['UNDELETED', '1 2 4 5'],
  ['DRAFT', '4'],
  ['UNDRAFT', '1 2 3 5'],
  ['NEW', ''],
  ['RECENT', ''],
  ['OLD', '1 2 3 4 5'],
  ['KEYWORD Work', '2'],
  ['KEYWORD $Label1', '2'],
  ['UNKEYWORD work', '1 3 4 5'],
  ['KEYWORD $Forwarded', '4'],
  ['KEYWORD never', ''],
  ['BEFORE 4-Nov-2026', '1'],
  ['ON "4-Nov-2026"', '2'],
  ['SINCE 10-nov-2026', '3 4 5'],
  ['SENTON 2-Nov-2026', '1'],
  ['SENTON 3-Nov-2026', ''],
  ['SENTBEFORE 4-Nov-2026', '1'],
  ['SENTSINCE 4-Nov-2026', '2'],
  ['NOT SENTSINCE 4-Nov-2026', '1 3 4 5'],
  ['SENTON 21-Nov-2026', ''],
  ['SAVEDBEFORE 1-Jan-2000', ''],
  ['SAVEDSINCE 1-Jan-2000', '1 2 3 4 5'],
  ['SAVEDATESUPPORTED', '1 2 3 4 5'],
  ['OLDER 86400', '1 2 3 4'],
  ['YOUNGER 86400', '4 5'],
  ['YOUNGER 4294967295', '1 2 3 4 5'],
  ['LARGER 100000', '5'],
  ['SMALLER 180', '4'],
  ['LARGER 9223372036854775807', ''],
  ['UID 2:3', '2 3'],
  ['UID 9:*', '5'],
  ['UID 6:8', ''],
  ['2:*', '2 3 4 5'],
  ['*', '5'],
  ['7', ''],
  ['4:9', '4 5'],
  ['9:*', '5'],
  ['1,3:2 UNSEEN', '2 3'],
  ['NOT 2:4', '1 5'],
  ['OR SEEN FLAGGED', '1 2'],
  ['OR (SEEN SMALLER 10) NOT (UNFLAGGED)', '2'],
  ['NOT NOT (SEEN)', '1'],
  ['(1:3) ((UNSEEN))', '2 3'],
  ['FROM ann', '1 5'],
  ['FROM "ANN SMITH <ANN@"', '1'],
  ['FROM robot', ''],
  ['FROM news', '3'],
  ['FROM oo', '1 5'],
  ['TO zoe', '2'],
  ['TO "ZOË"', '2'],
  ['TO "bob <"', '1'],
  ['FROM desk', '4'],
  ['TO "hidden readers"', '4'],
  ['TO nobody', ''],
  ['CC carl', '2'],
  ['CC friends', '4'],
  ['CC "friends dora"', ''],
  ['CC ""', '2 4'],
  ['BCC ""', ''],
  ['SUBJECT voice', '1'],
  ['SUBJECT cafe', '2'],
  ['SUBJECT "CAFÉ AND"', '2'],
  ['SUBJECT "weekly news"', '3'],
  ['HEADER List-Id reading', '3'],
  ['HEADER x-mailer ""', '3'],
  ['HEADER In-Reply-To "<one@books.example>"', '2'],
  ['HEADER Message-ID shop', '2'],
  ['HEADER From Robot', ''],
  ['HEADER Sender Robot', '3'],
  ['BODY pay', '1 2'],
  ['BODY "them soon"', '1'],
  ['BODY shopkeep', '2'],
  ['BODY CAFE', '2'],
  ['BODY strasse', '3'],
  ['BODY wideopen', '3'],
  ['BODY "<b>"', ''],
  ['BODY walrus', '3'],
  ['BODY "enclosed matter"', '3'],
  ['BODY within', '3'],
  ['BODY omega', '5'],
  ['BODY books.example', ''],
  ['BODY ""', '1 2 3 4 5'],
  ['TEXT books.example', '1 2 5'],
  ['TEXT minutes', '3'],
  ['TEXT robot', '3'],
  ['TEXT reading', '3'],
  ['TEXT pigeon', ''],
  ['TEXT alru', '3'],
  ['NOT BODY pay', '3 4 5'],
  ['UNSEEN BODY pay', '2'],
  ['OR BODY walrus SUBJECT nothing', '3 4'],
  ['OR NOT BODY pay FROM bob', '2 3 4 5'],
  ['CHARSET UTF-8 SUBJECT "é"', '1 2 3 5'],
  ['EMAILID m0', ''],
  ['EMAILID nothing', ''],
  ['THREADID nothing', ''],
] as const) {
  for (const state of ['before', 'after'] as const) {
    test(`UID SEARCH ${program} finds ${uids || 'nothing'}, ${state} messages are indexed`, async () => {
      if (state === 'after') await stage.index()
      assert.equal(await found(program), uids)
    })
  }
}

test('a search finds messages by their ids, and by those of their conversations', async () => {
  const { rows } = await sql<{ id: number }>`select id from mail_messages where uid = 2`.execute(stage.database.db)
  assert.equal(await found(`EMAILID ${publicId(rows[0]?.id ?? 0)}`), '2')
})

for (const [what, command, answer] of [
  ['sequence numbers', 'SEARCH UNSEEN UID 4:5', '* SEARCH 4 5'],
  ['nothing', 'SEARCH SMALLER 1', '* SEARCH'],
  ['ranges', 'UID SEARCH RETURN () ALL', '* ESEARCH (TAG "a") UID ALL 1:5'],
  ['ranges and single ones', 'SEARCH RETURN (ALL) NOT 3', '* ESEARCH (TAG "a") ALL 1:2,4:5'],
  ['what is asked for', 'SEARCH RETURN (MIN COUNT max) UNSEEN', '* ESEARCH (TAG "a") MIN 2 MAX 5 COUNT 4'],
  ['no result', 'SEARCH RETURN (MIN ALL COUNT) KEYWORD never', '* ESEARCH (TAG "a") COUNT 0'],
  [
    'the first ones',
    'UID SEARCH RETURN (PARTIAL 1:2 COUNT) UNSEEN',
    '* ESEARCH (TAG "a") UID COUNT 4 PARTIAL (1:2 2:3)',
  ],
  ['the last ones', 'UID SEARCH RETURN (PARTIAL -1:-2) UNSEEN', '* ESEARCH (TAG "a") UID PARTIAL (-1:-2 4:5)'],
  ['none so late', 'UID SEARCH RETURN (PARTIAL 8:9) UNSEEN', '* ESEARCH (TAG "a") UID PARTIAL (8:9 NIL)'],
  ['the highest modification sequence', 'SEARCH MODSEQ 1', '* SEARCH 1 2 3 4 5 (MODSEQ 6)'],
  ['none of these', 'SEARCH MODSEQ "/flags/\\\\Seen" all 9999', '* SEARCH'],
  ['that of the lowest', 'SEARCH RETURN (MIN) MODSEQ 1', '* ESEARCH (TAG "a") MIN 1 MODSEQ 2'],
  ['that of all', 'SEARCH RETURN (MIN COUNT) MODSEQ 1', '* ESEARCH (TAG "a") MIN 1 COUNT 5 MODSEQ 6'],
] as const) {
  test(`a search answers ${what}: ${command}`, async () => {
    assert.equal(await told(command), answer)
  })
}

test('with IMAP4rev2, what is not asked for otherwise comes as ESEARCH', async () => {
  scene.session.enable('IMAP4rev2')
  assert.equal(await told('SEARCH SEEN'), '* ESEARCH (TAG "a") ALL 1')
  scene.session.enabled.delete('IMAP4rev2')
})

for (const [options, saved, answer] of [
  ['SAVE', '2 3 4 5', ''],
  ['SAVE COUNT', '2 3 4 5', '* ESEARCH (TAG "a") UID COUNT 4'],
  ['SAVE MIN', '2', '* ESEARCH (TAG "a") UID MIN 2'],
  ['SAVE MIN MAX', '2 5', '* ESEARCH (TAG "a") UID MIN 2 MAX 5'],
  ['SAVE PARTIAL 2:3', '3 4', '* ESEARCH (TAG "a") UID PARTIAL (2:3 3:4)'],
] as const) {
  test(`a search with ${options} saves ${saved}`, async () => {
    assert.equal(await told(`UID SEARCH RETURN (${options}) UNSEEN`), answer)
    assert.equal(await found('$'), saved)
    assert.equal(await found('UID $ LARGER 100000'), saved.includes('5') ? '5' : '')
  })
}

for (const [what, program, refused] of [
  ['an unknown key', 'SOMETIMES', 'BAD'],
  ['a key of a prototype', 'CONSTRUCTOR', 'BAD'],
  ['FUZZY', 'FUZZY SUBJECT x', 'BAD'],
  ['no key', '', 'BAD'],
  ['no key in parentheses', '()', 'BAD'],
  ['a key without its argument', 'FROM', 'BAD'],
  ['a day that no calendar has', 'SINCE 31-Feb-2026', 'BAD'],
  ['an open parenthesis', '(SEEN', 'BAD'],
  ['keys nested too deep', `${'('.repeat(150)}SEEN${')'.repeat(150)}`, 'BAD'],
  ['NOT nested too deep', `${'NOT '.repeat(150)}SEEN`, 'BAD'],
  ['OR nested too deep', `${'OR SEEN '.repeat(150)}SEEN`, 'BAD'],
  ['another charset', 'CHARSET KOI8-R TEXT x', 'NO [BADCHARSET (US-ASCII UTF-8)]'],
  ['too many keys', 'SEEN '.repeat(1_200), 'NO [LIMIT]'],
  ['too many texts', 'TEXT a '.repeat(60), 'NO [LIMIT]'],
  ['a text that is too long', `TEXT ${'a'.repeat(9_000)}`, 'NO [LIMIT]'],
  ['an unknown option', 'RETURN (SOME) ALL', 'BAD'],
  ['PARTIAL beside ALL', 'RETURN (PARTIAL 1:2 ALL) ALL', 'BAD'],
  ['PARTIAL from both ends', 'RETURN (PARTIAL 1:-2) ALL', 'BAD'],
  ['another charset with SAVE', 'RETURN (SAVE) CHARSET KOI8-R TEXT x', 'NO [BADCHARSET (US-ASCII UTF-8)]'],
  ['an unknown key with SAVE', 'RETURN (SAVE) SOMETIMES', 'BAD'],
  ['PARTIAL twice', 'RETURN (PARTIAL 1:2 PARTIAL 3:4) ALL', 'BAD'],
] as const) {
  test(`a search refuses ${what}, and what was saved stays unless it could be read`, async () => {
    const selected = scene.session.needSelected()
    selected.savedSearch = [{ from: 1, to: 1 }]
    assert.equal((await told(`UID SEARCH ${program}`)).slice(0, refused.length), refused)
    const isLost = program.includes('SAVE') && refused !== 'BAD'
    assert.deepEqual(selected.savedSearch, isLost ? [] : [{ from: 1, to: 1 }])
  })
}

test('a long search says every ten seconds how far it is, and ends with its connection', async () => {
  const clock = new ManualClock()
  await using parts = partsOn(stage.database, { clock })
  const long = await stage.scene()
  using session = long.another(parts)
  // Three batches: the connection ends in the second.
  await long.store(Array.from({ length: 12 }, () => [`Subject: x\r\n\r\n${'a b '.repeat(30_000)}`]))
  await session.run('SELECT INBOX')
  const { reader } = parts
  const { holds } = reader
  let reads = 0
  reader.holds = (raw, sought) => {
    clock.advance(6_000)
    if (++reads === 5) session[Symbol.dispose]()
    return holds.call(reader, raw, sought)
  }
  await assert.rejects(session.run('SEARCH BODY never'), { name: 'AbortError' })
  assert.match(session.lines().join('|'), /^\* OK \[INPROGRESS \("a" \d 12\)\] /)
})
