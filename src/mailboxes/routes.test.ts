// On both databases: requests reach a cap at once.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

test('GET /v1/mailboxes lists them in the order in which they were made, with every field', async () => {
  const organization = await world.organization()
  const { domain } = organization
  const ada = await organization.mailbox('ada', { name: 'Ada Lovelace' })
  await organization.mailbox('bob')
  await world.send({ from: 'ann@shop.example', to: `postmaster@${domain}`, subject: 'Hello', text: 'Hello' })
  const { status, body } = await organization.request('GET', '/v1/mailboxes')
  assert.equal(status, 200)
  const [first, second] = body.data
  assert.deepEqual(
    { ...first, storage_used_bytes: 0, created_at: '' },
    {
      id: ada.id,
      address: `ada@${domain}`,
      local_part: 'ada',
      domain,
      name: 'Ada Lovelace',
      kind: 'smart',
      aliases: [`abuse@${domain}`, `postmaster@${domain}`],
      suspended: false,
      storage_used_bytes: 0,
      created_at: '',
    },
  )
  const usage = (await organization.request('GET', '/v1/usage')).body
  assert.equal(first.storage_used_bytes, usage.storage.used_bytes)
  assert.ok(first.storage_used_bytes > 0)
  assert.match(first.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.partialDeepStrictEqual(second, { address: `bob@${domain}`, aliases: [], name: '', storage_used_bytes: 0 })
  assert.deepEqual([body.total, body.page, body.has_more], [2, 0, false])
})

test('mailboxes can be listed in pages, and those of other organizations are not among them', async () => {
  const organization = await world.organization()
  await (await world.organization()).mailbox('ada')
  for (const name of ['a', 'b', 'c']) await organization.mailbox(name)
  const page = async (query: string) => (await organization.request('GET', `/v1/mailboxes${query}`)).body
  const names = ({ data }: { data: { local_part: string }[] }) => data.map(({ local_part }) => local_part)
  assert.deepEqual(names(await page('?limit=2')), ['a', 'b'])
  assert.partialDeepStrictEqual(await page('?limit=2'), { total: 3, page: 0, has_more: true })
  assert.deepEqual(names(await page('?limit=2&page=1')), ['c'])
  assert.equal((await page('?limit=2&page=1')).has_more, false)
  const { next_cursor } = await page('?limit=2')
  assert.deepEqual(names(await page(`?cursor=${next_cursor}`)), ['c'])
  assert.equal((await page(`?cursor=${next_cursor}&page=1`)).error.field, 'page')
})

for (const scope of ['mailboxes:read', 'messages:read'] as const) {
  test(`GET /v1/mailboxes needs no more than ${scope}`, async () => {
    const organization = await world.organization()
    const key = await organization.newKey(scope)
    assert.equal((await organization.request('GET', '/v1/mailboxes', undefined, { key })).status, 200)
  })
}

for (const query of ['limit=0', 'limit=1001', 'limit=x', 'page=-1', 'address=a']) {
  test(`GET /v1/mailboxes with ${query} is invalid_request`, async () => {
    const organization = await world.organization()
    const { status, body } = await organization.request('GET', `/v1/mailboxes?${query}`)
    assert.deepEqual([status, body.error.field], [400, query.split('=')[0]])
  })
}

test('of 50 mailboxes asked for at once at a cap of 3, the plan allows 3, and usage says so', async () => {
  const organization = await world.organization({ plan: 'free' })
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) => organization.mailbox(`box${index}`)),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
  const { body } = await organization.request('GET', '/v1/usage')
  assert.deepEqual(body.mailboxes, { used: 3, limit: 3, remaining: 0 })
})
