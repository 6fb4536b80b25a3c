import assert from 'node:assert/strict'
import { type ClientRequest, get } from 'node:http'
import { test } from 'node:test'
import { later } from '#test/world/organization/furnished.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** More than an organization has room for, and than may wait, of answers of this size; and one that needs room too. */
const [requests, size, large] = [200, 6 << 20, 1 << 20]

interface Owner {
  readonly organization: TestOrganization
  readonly address: string
  readonly size: number
}

async function withLargeMessage(size: number): Promise<Owner & { readonly conversation: string }> {
  const { organization, address } = await world.mailbox('ada', { plan: 'business' })
  await world.send({
    from: 'ann@peer.example',
    to: address,
    subject: 'Long',
    text: 'A long line of text.\n'.repeat(size / 21),
  })
  const { data } = (await organization.request('GET', `/v1/conversations?mailbox=${address}`)).body
  return { organization, address, size, conversation: data[0].id }
}

async function scheduled({ organization, address, size }: Owner): Promise<string> {
  const attachments = [{ filename: 'a.bin', content: Buffer.alloc(size).toString('base64') }]
  const body = { ...later(world, address), attachments }
  const answer = await organization.request('POST', '/v1/scheduled', body)
  assert.equal(answer.status, 201, answer.bytes.toString())
  return answer.body.id
}

for (const [what, pathOf] of [
  ['raw messages', async ({ address }) => `/v1/messages/1/raw?mailbox=${address}`],
  ['messages', async ({ address }) => `/v1/messages/1?mailbox=${address}`],
  [
    'conversations with bodies',
    async ({ address, conversation }) => `/v1/conversations/${conversation}?mailbox=${address}&include=bodies`,
  ],
  ['scheduled messages', async (one) => `/v1/scheduled/${await scheduled(one)}`],
] satisfies [string, (one: Awaited<ReturnType<typeof withLargeMessage>>) => Promise<string>][])
  test(`clients that do not read ${what} take no more than the budget, and another organization gets its own`, async () => {
    const [one, other] = [await withLargeMessage(size), await withLargeMessage(large)]
    const path = await pathOf(one)
    const clients: ClientRequest[] = []
    try {
      const statuses = Array.from({ length: requests }, () => {
        const { promise, resolve } = Promise.withResolvers<number | undefined>()
        const headers = { authorization: `Bearer ${one.organization.key}` }
        const client = get(`${world.base}${path}`, { agent: false, headers }, ({ statusCode }) => resolve(statusCode))
        clients.push(client.on('error', () => {}))
        return promise
      })
      const refused = statuses.map(async (status) => {
        if ((await status) !== 429) return await new Promise<never>(() => {})
        return 'a request is refused'
      })
      const outcome = await Promise.race([...refused, Promise.all(statuses).then(() => 'all are answered')])
      assert.equal(outcome, 'a request is refused')
      const answer = await other.organization.request('GET', await pathOf(other))
      assert.equal(answer.status, 200)
    } finally {
      for (const client of clients) client.destroy()
    }
  })
