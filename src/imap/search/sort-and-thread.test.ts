import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { searchCommands } from './commands.ts'
import { Arranging } from './threads.ts'

const stage = await Stage.ofFile(searchCommands)

type Letters = Parameters<Scene['store']>[0]

/** What a client is told that has selected a folder with these messages. */
async function telling(letters: Letters): Promise<(command: string) => Promise<string>> {
  const scene = await stage.scene()
  await scene.store(letters)
  await scene.session.run('SELECT INBOX')
  return async (command) => (await scene.session.run(command))[0] ?? ''
}

/** Sent and received on these days of November 2026. */
function letter(id: string, header: string, [sent, received = sent]: [number, number?] = [1]): [string, Partial<Copy>] {
  const raw = `Message-ID: <${id}@letters.example>\r\nDate: ${sent} Nov 2026 12:00:00 +0000\r\n${header}\r\n\r\nText\r\n`
  return [raw, { receivedAt: new Date(Date.UTC(2026, 10, received, 13)) }]
}

const references = (...ids: string[]) => `References: ${ids.map((id) => `<${id}@letters.example>`).join(' ')}`

test('SORT puts messages in order', async (t) => {
  const told = await telling([
    letter(
      'a',
      'From: Zoe <adam@one.example>\r\nTo: Carl <x@one.example>\r\nCc: mona@one.example\r\nSubject: Re: Soup',
      [3, 9],
    ),
    letter(
      'b',
      'From: bert@two.example\r\nTo: =?utf-8?q?=C3=84nne?= <y@one.example>\r\nSubject: [cooks] apple',
      [2, 2],
    ),
    letter(
      'c',
      'From: "anna" <"car\\l"@three.example>\r\nTo: a@one.example\r\nCc: <Alma@x.example>\r\nSubject: SOUP (fwd)\r\nX: long',
      [1, 5],
    ),
    ['Subject: undated\r\n\r\n', { receivedAt: new Date(Date.UTC(2026, 10, 2, 18)) }],
  ])
  for (const [criteria, uids] of [
    ['ARRIVAL', '2 4 3 1'],
    ['REVERSE ARRIVAL', '1 3 4 2'],
    ['DATE', '3 2 4 1'],
    ['SIZE', '4 2 1 3'],
    ['SUBJECT', '2 1 3 4'],
    ['SUBJECT REVERSE DATE', '2 1 3 4'],
    ['REVERSE SUBJECT DATE', '4 3 1 2'],
    ['FROM', '4 1 2 3'],
    ['DISPLAYFROM', '4 3 2 1'],
    ['TO', '4 3 1 2'],
    ['DISPLAYTO', '4 3 2 1'],
    ['CC', '2 4 3 1'],
    ['REVERSE CC', '1 3 2 4'],
  ] as const) {
    await t.test(`SORT (${criteria})`, async () => {
      assert.equal(await told(`UID SORT (${criteria}) UTF-8 ALL`), `* SORT ${uids}`)
    })
  }
  for (const [command, answer] of [
    ['SORT (DATE) US-ASCII NOT 2', '* SORT 3 4 1'],
    ['UID SORT (DATE) UTF-8 KEYWORD never', '* SORT'],
    ['SORT RETURN (MIN MAX COUNT) (DATE) UTF-8 ALL', '* ESEARCH (TAG "a") MIN 3 MAX 1 COUNT 4'],
    ['UID SORT RETURN () (DATE) UTF-8 ALL', '* ESEARCH (TAG "a") UID ALL 3,2,4,1'],
    ['UID SORT RETURN (PARTIAL -1:-2) (DATE) UTF-8 ALL', '* ESEARCH (TAG "a") UID PARTIAL (-1:-2 4,1)'],
    ['SORT (REVERSE ARRIVAL) UTF-8 MODSEQ 4', '* SORT 3 4 (MODSEQ 5)'],
  ] as const) {
    await t.test(command, async () => assert.equal(await told(command), answer))
  }
  for (const [command, refused] of [
    ['SORT () UTF-8 ALL', 'BAD'],
    ['SORT (REVERSE) UTF-8 ALL', 'BAD'],
    ['SORT (COLOUR) UTF-8 ALL', 'BAD'],
    ['SORT (DATE)', 'BAD'],
    ['SORT (DATE) LATIN9 ALL', 'NO [BADCHARSET (US-ASCII UTF-8)]'],
    ['THREAD SOMEHOW UTF-8 ALL', 'BAD'],
    ['THREAD REFS UTF-16 ALL', 'NO [BADCHARSET (US-ASCII UTF-8)]'],
  ] as const) {
    await t.test(`refuses ${command}`, async () =>
      assert.equal((await told(command)).slice(0, refused.length), refused),
    )
  }
})

/** Each table has the messages in the order of their uids, and threads by REFERENCES, REFS and ORDEREDSUBJECT. */
for (const [what, messages, expected] of [
  ['nothing', [], ['', '', '']],
  [
    'answers below what they answer, and beside each other',
    [
      ...[letter('a', 'Subject: tea', [1]), letter('b', `Subject: Re: tea\r\n${references('a')}`, [2])],
      letter('c', `Subject: Re: tea\r\n${references('a', 'b')}`, [3]),
      ...[letter('d', `Subject: Re: tea\r\nIn-Reply-To: <a@letters.example>`, [4]), letter('e', 'Subject: jam', [2])],
    ],
    ['(1 (2 3)(4))(5)', '(5)(1 (2 3)(4))', '(1 (2)(3)(4))(5)'],
  ],
  [
    'answers whose original is not there',
    [
      letter('b', `Subject: one\r\n${references('a')}`, [2]),
      letter('c', `Subject: two\r\n${references('a')}`, [1]),
      letter('d', 'Subject: three', [3]),
    ],
    ['((2)(1))(3)', '((2)(1))(3)', '(2)(1)(3)'],
  ],
  [
    'messages in the order that References say, whoever is missing in between',
    [
      letter('d', `Subject: x\r\n${references('a', 'b', 'c')}`, [4]),
      letter('a', 'Subject: x', [1]),
      letter('e', `Subject: x\r\n${references('c', 'd')}`, [5]),
    ],
    ['(2 1 3)', '(2 1 3)', '(2 (1)(3))'],
  ],
  [
    'answers by the times at which they were sent, threads by REFS by those at which their newest were received',
    [
      ...[letter('a', 'Subject: x', [1, 1]), letter('b', `Subject: x\r\n${references('a')}`, [3, 2])],
      ...[letter('c', `Subject: x\r\n${references('a')}`, [2, 9]), letter('d', 'Subject: y', [4, 4])],
    ],
    ['(1 (3)(2))(4)', '(4)(1 (3)(2))', '(1 (3)(2))(4)'],
  ],
  [
    'the same subject in one thread by REFERENCES alone',
    [
      ...[letter('a', 'Subject: tea', [1]), letter('b', 'Subject: Re: tea', [2])],
      ...[letter('c', 'Subject: tea (fwd)', [3]), letter('d', 'Subject: jam', [4]), letter('e', 'Subject: jam', [5])],
      letter('f', 'Subject: Re: milk', [6]),
    ],
    ['(1 (2)(3))((4)(5))(6)', '(1)(2)(3)(4)(5)(6)', '(1 (2)(3))(4 5)(6)'],
  ],
  [
    'those who name each other in a circle',
    [
      letter('a', `Subject: x\r\n${references('b')}`, [1]),
      letter('b', `Subject: x\r\n${references('a')}`, [2]),
      letter('c', `Subject: x\r\n${references('c')}`, [3]),
    ],
    ['((2 1)(3))', '(2 1)(3)', '(1 (2)(3))'],
  ],
  [
    'two with one Message-ID in one thread',
    [
      letter('a', 'Subject: x', [1]),
      letter('a', 'Subject: y', [2]),
      letter('b', `Subject: z\r\n${references('a')}`, [3]),
    ],
    ['(1 (2)(3))', '(1 (2)(3))', '(1)(2)(3)'],
  ],
] as const) {
  test(`THREAD puts ${what}`, async () => {
    const told = await telling(messages)
    const said = []
    for (const algorithm of ['REFERENCES', 'REFS', 'ORDEREDSUBJECT']) {
      said.push(await told(`UID THREAD ${algorithm} UTF-8 ALL`))
    }
    assert.deepEqual(
      said,
      expected.map((threads) => `* THREAD${threads && ` ${threads}`}`),
    )
  })
}

test('THREAD shows the conversations that HTTP shows, of those that are found', async () => {
  const told = await telling([
    letter('a', 'Subject: x', [1]),
    [letter('b', references('a'), [2])[0], { flagged: true }],
    letter('c', references('b'), [3]),
  ])
  assert.equal(await told('THREAD REFS UTF-8 UNFLAGGED'), '* THREAD ((1)(3))')
})

test('threads are joined by their subjects in turns of the event loop, whether they are many or become one', async () => {
  const count = 20_000
  const forest = { parents: new Int32Array(count).fill(-1), conversations: Int32Array.from(Array(count).keys()) }
  for (const [subjectOf, joined] of [
    [(message: number) => `Subject ${message}`, count],
    [() => 'Subject', 1],
  ] as const) {
    const threads = await Arranging.of(forest, (message) => -message)
    let [asked, most, isDone] = [0, 0, false]
    const joining = threads
      .joinSubjects((message) => {
        most = Math.max(most, ++asked)
        return subjectOf(message)
      })
      .finally(() => {
        isDone = true
      })
    for (; !isDone; await nextTurn()) asked = 0
    await joining
    assert.equal(threads.threads.length, joined)
    assert.deepEqual(threads.threads.flat().slice(0, 2), [count - 1, count - 2])
    assert.ok(most < 5_000, `${most} of ${count} in one turn`)
  }
})
