// On both databases: requests reach a cap at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

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
