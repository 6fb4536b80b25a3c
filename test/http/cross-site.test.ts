import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '#test/world/members/signed-in.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, memberOperations, pathOf } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** What a browser says of a request that no page of ours makes. */
const others: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'cross-site', origin: world.base },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: `${world.base}.evil.example` },
  { origin: world.base.replace('http:', 'https:') },
]

test('no unsafe route does anything for a page of another site that sends a live cookie', async () => {
  const one = await furnish(world)
  const { id } = await one.organization.member(one.address, 'owner')
  const { cookie } = await signIn(one.organization, id)
  const unsafe = [...(await everyOperation(world)), ...(await memberOperations(world))].filter(
    ({ method }) => method !== 'GET',
  )
  assert.ok(unsafe.length > 15, 'the unsafe routes are found')
  for (const { name, method, path, sample } of unsafe) {
    for (const headers of others) {
      const body = sample.body?.(one)
      const answer = await world.client.request(method, pathOf(path, sample, one), {
        headers: { ...headers, cookie },
        ...(body && { body }),
      })
      assert.equal(answer.status, 403, `${name} ${JSON.stringify(headers)}: ${answer.bytes}`)
      assert.equal(answer.headers.get('access-control-allow-origin'), null)
    }
    // Else the member would have had too many requests.
    await world.advance(60_000)
  }
})

for (const headers of [
  { 'sec-fetch-site': 'same-origin' },
  { origin: world.base },
  { 'sec-fetch-site': 'same-origin', origin: 'null' },
])
  test(`a page of the service may do what its member may: ${Object.keys(headers)}`, async () => {
    const organization = await world.organization()
    const { id } = await organization.member('ada@people.example', 'owner')
    const { cookie } = await signIn(organization, id)
    const body = { name: 'Later' }
    const answer = await world.client.request('POST', '/v1/labels', { headers: { ...headers, cookie }, body })
    assert.equal(answer.status, 201)
  })

test('nobody signs in from a page of another site', async () => {
  for (const path of ['/v1/session', '/v1/session/single-sign-on'])
    for (const headers of others.slice(1)) {
      const { status } = await world.client.request('POST', path, { headers, body: { link: 'x' } })
      assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`)
    }
})

test('with a public URL the cookie is for TLS alone, and that origin is ours', async () => {
  const publicUrl = 'https://mail.example.com'
  await using served = await World.start({ database: world.database, env: { MAILROOM_PUBLIC_URL: publicUrl } })
  const organization = await world.organization()
  const { id } = await organization.member('ada@people.example', 'owner')
  const { cookie } = await signIn(organization, id, served)
  assert.match(cookie, /^__Host-mailroom_session=[\w-]{43}$/)
  const create = (origin: string, name: string) =>
    served.client.request('POST', '/v1/labels', { headers: { cookie, origin }, body: { name } })
  assert.equal((await create(publicUrl, 'One')).status, 201)
  assert.equal((await create(served.base, 'Two')).status, 403)
})
