import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import { each } from '#test/world/each.ts'
import type { Admitted } from './admit.ts'
import { type Destination, destinationsOf, inBatches, withoutBlocking } from './destinations.ts'
import { admitted } from './fixtures/admitted.ts'

const now = 1_000_000
mock.method(performance, 'now', () => now)
after(() => mock.restoreAll())

/** Which patterns the database is asked about, of a message by these authors that was let in at RCPT. */
async function asked(
  sender: string,
  authors: readonly string[],
  ...recipients: Admitted[]
): Promise<readonly string[]> {
  const client = { address: '192.0.2.1', helo: 'x.example', protocol: 'ESMTP', tls: undefined } as const
  const from = { client, origin: client, sender, utf8: false }
  const envelope: Envelope = { ...from, id: '1', receivedAt: new Date(), recipients }
  const seen: string[] = []
  const blocksOf = async ({ patterns }: { patterns: readonly string[] }) => {
    seen.push(...patterns)
    return new Set<string>()
  }
  await withoutBlocking(blocksOf, envelope, destinationsOf(recipients), authors)
  return seen
}

const ago = (seconds: number) => admitted({ at: now - seconds * 1_000 })

for (const [what, authors, recipients, expected] of [
  ['is asked about no more where RCPT has just asked', ['ann@a.example'], [ago(0)], []],
  ['is asked about again within 5 seconds of RCPT', ['ann@a.example'], [ago(4.9)], ['@a.example', 'ann@a.example']],
  ['is asked again where one RCPT is so old', ['ann@a.example'], [ago(0), ago(4.9)], ['@a.example', 'ann@a.example']],
  ['in the header, unlike the envelope’s, is asked about', ['e@e.example'], [ago(0)], ['@e.example', 'e@e.example']],
  ['that no database can hold is not asked about', ['\ud800@e.example', 'a\0@e.example'], [ago(0)], ['@e.example']],
  ['is not asked about for who must be reached', ['e@e.example'], [admitted({ at: now, blockable: false })], []],
] as const)
  test(`an author ${what}`, async () =>
    assert.deepEqual([...new Set(await asked('ann@a.example', authors, ...recipients))].toSorted(), expected))

test('a mailbox gets one message for all its addresses, and can be blocked only where all of them can', () => {
  const [one, ...others] = destinationsOf([
    admitted(),
    admitted({ recipient: 'postmaster@here.example', blockable: false }),
    admitted({ recipient: 'a@here.example' }),
  ])
  assert.deepEqual(others, [])
  assert.deepEqual(one?.recipients, ['ada@here.example', 'postmaster@here.example', 'a@here.example'])
  assert.equal(one?.blockable, false)
})

const mebibytes = 1 << 20
const box = (name: string): Destination => {
  const [destination] = destinationsOf([admitted({ mailboxId: name, private: name.startsWith('p') })])
  return destination ?? assert.fail()
}

for (const [what, octets, boxes, expected] of [
  ['Smart mailboxes all at once', 25 * mebibytes, ['s1', 's2', 's3'], [['s1', 's2', 's3']]],
  ['Private ones as 16 MiB allow', 8 * mebibytes, ['p1', 'p2', 'p3', 'p4', 'p5'], [['p1', 'p2'], ['p3', 'p4'], ['p5']]],
  ['a large one for Private ones one by one', 25 * mebibytes, ['p1', 'p2'], [['p1'], ['p2']]],
  ['Smart ones with the first Private ones', 16 * mebibytes, ['p1', 's1', 'p2'], [['s1', 'p1'], ['p2']]],
] as const)
  test(`a message is stored for ${what}`, () => {
    const batches = inBatches(boxes.map(box), octets).map((batch) => each(batch, 'mailboxId'))
    assert.deepEqual(batches, expected)
  })
