import assert from 'node:assert/strict'
import { readHeaders } from '#/mime/header/headers.ts'
import { readMessage } from '#/mime/message.ts'
import type { TestIt } from './bench.ts'
import { copy, letter, refusal } from './letters.ts'

/** The fields of stored messages that filters match. */
export function readsHeadings(testIt: TestIt): void {
  testIt('a folder says how far it goes', async ({ ada, host, append }) => {
    assert.partialDeepStrictEqual(await host.extent(ada, 'inbox'), { total: 0 })
    await append(copy(ada), copy(ada), copy(ada))
    await host.expunge(ada, 'inbox', [2])
    const extent = await host.extent(ada, 'inbox')
    assert.deepEqual([extent.lastUid, extent.total], [3, 2])
    await assert.rejects(host.extent(ada, 'nowhere'), refusal('folder'))
  })

  testIt('a range of messages is read with flags and headers', async ({ ada, host, append }) => {
    const header = {
      from: 'Ann <ann@x.example>',
      sender: 'bob@x.example',
      cc: 'cy@x.example',
      subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    }
    const received = { received: 'from a.example by b.example for <ada@run.test>; Sat, 21 Nov 2026 07:44:33 +0000' }
    await append(
      copy(ada),
      copy(ada, { message: readMessage(letter({ ...received, ...header })), flagged: true, keywords: ['work'] }),
      copy(ada, {
        message: readMessage(letter({ subject: 'Large' }, `${'x'.repeat(70)}\r\n`.repeat(30_000))),
        seen: true,
      }),
      copy(ada),
    )
    const range = { after: 1, last: 3, most: 10, withHeader: true }
    const { uidValidity, messages } = await host.headings(ada, 'inbox', range)
    assert.equal(uidValidity, (await host.extent(ada, 'inbox')).uidValidity)
    assert.deepEqual(
      messages.map(({ header: _, ...rest }) => rest),
      [
        { uid: 2, seen: false, flagged: true, keywords: ['work'], subject: 'Grüße' },
        { uid: 3, seen: true, flagged: false, keywords: [], subject: 'Large' },
      ],
    )
    const { headers } = readHeaders(messages[0]?.header ?? Buffer.alloc(0))
    for (const [name, value] of Object.entries({ ...received, ...header })) assert.equal(headers.last(name), value)
    const uidsOf = async (change: Partial<typeof range>) =>
      (await host.headings(ada, 'inbox', { ...range, ...change })).messages.map(({ uid }) => uid)
    assert.deepEqual(await uidsOf({ after: 0, last: 4, most: 2 }), [1, 2])
    assert.deepEqual(await uidsOf({ after: 3, last: 9 }), [4])
    assert.deepEqual(await uidsOf({ after: 4, last: 4 }), [])
    const [bare] = (await host.headings(ada, 'inbox', { ...range, withHeader: false })).messages
    assert.equal(bare?.subject, 'Grüße')
  })
}
