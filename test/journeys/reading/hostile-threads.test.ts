import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hand, letter } from '#test/mail/letter.ts'
import { storeMessages } from '#test/threads/store-messages.ts'
import { limitFor } from '#test/world/limit-for.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

const many = (count: number, headers: (number: number) => string) =>
  Array.from({ length: count }, (_, at) => headers(at))
const ids = (count: number) => many(count, (number) => `<${number}@x.example>`).join('\r\n ')

/** Each with how many conversations it is. */
const folders: readonly (readonly [what: string, headers: readonly string[], conversations: number])[] = [
  ['one Message-ID a thousand times', many(1_000, () => 'Message-ID: <a@x>\r\n'), 1],
  [
    'a circle of a thousand replies',
    many(1_000, (at) => `Message-ID: <${at}@x>\r\nIn-Reply-To: <${(at + 1) % 1_000}@x>\r\n`),
    1,
  ],
  [
    'a thousand replies to themselves',
    many(1_000, (at) => `Message-ID: <${at}@x>\r\nReferences: <${at}@x>\r\n`),
    1_000,
  ],
  ['a chain whose every other message is missing', many(1_000, (at) => chained(2 * at)), 1],
  ['a chain that comes last message first', many(1_000, (at) => chained(1_000 - at)), 1],
  [
    'replies to roots that nobody has',
    many(1_000, (at) => `Message-ID: <${at}@x>\r\nReferences: <root${at % 10}@y>\r\n`),
    10,
  ],
  ['a thousand messages without any id', many(1_000, () => ''), 1_000],
  [
    'two messages of 100,000 references',
    many(2, (at) => `Message-ID: <${at}@y>\r\nReferences: ${ids(100_000)}\r\n`),
    1,
  ],
]

function chained(at: number): string {
  return `Message-ID: <${at}@x>\r\nReferences: <${at - 2}@x> <${at - 1}@x>\r\n`
}

for (const [what, headers, conversations] of folders) {
  test(`${what}: every uid in exactly one conversation, within a second`, async () => {
    const organization = await world.organization()
    const { id: mailboxId, address } = await organization.mailbox('ada')
    const rest = { seen: false, receivedAt: Date.UTC(2026, 10, 21), sender: 'ann@x.test' }
    const messages = headers.map((text) => ({ ...rest, headers: text }))
    await storeMessages(world, { organizationId: organization.id, mailboxId }, messages)
    const found = await withinASecond(() => conversationsOf(organization, address))
    assert.equal(found.length, conversations)
    assert.deepEqual(
      found.flat().sort((a, b) => a - b),
      headers.map((_, at) => at + 1),
    )
  })
}

test('a message of 100,000 references that arrives by SMTP is accepted and read within a second', async () => {
  const organization = await world.organization()
  const { address } = await organization.mailbox('ada')
  const message = letter({ References: ids(100_000) })
  const found = await withinASecond(async () => {
    assert.equal(await hand(world, 'ann@peer.example', address, message), '250 2.6.0')
    return conversationsOf(organization, address)
  })
  assert.deepEqual(found, [[1]])
})

/** Of this thread, which is the service's and its client's: other programs' time does not count. */
async function withinASecond<T>(work: () => Promise<T>): Promise<T> {
  const before = process.threadCpuUsage()
  const result = await work()
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 1_000 * limitFor(1_000), `took ${(user + system) / 1_000} ms`)
  return result
}

async function conversationsOf(organization: TestOrganization, address: string): Promise<number[][]> {
  const found: number[][] = []
  for (let page = 0; ; page++) {
    const { body } = await organization.request('GET', `/v1/threads?mailbox=${address}&limit=100&page=${page}`)
    found.push(...body.data.map(({ uids }: { uids: number[] }) => uids))
    if (!body.has_more) return found
  }
}
