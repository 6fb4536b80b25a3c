// On both databases: repeated requests wait for each other.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { dyingOnceDone } from '#test/world/database/dying-once-done.ts'
import { failing } from '#test/world/database/failing.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { everyCall } from '#test/world/routes/every-call.ts'
import { pathOf, removingLast } from '#test/world/routes/every-route.ts'
import type { Operation } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization()

const post = (key: string, body: unknown, to = organization) =>
  to.request('POST', '/v1/labels', body, { headers: { 'idempotency-key': key } })

const takesIdempotencyKey = ({ parameters = [] }: Operation) =>
  parameters.some((parameter) => parameter.name === 'Idempotency-Key')

test('every route that takes an Idempotency-Key gives its first answer again, and refuses another body under it', async () => {
  const calls = await everyCall(world, await furnish(world))
  for (const { name, method, path, operation, sample, ask, about } of removingLast(calls)) {
    const takesKey = takesIdempotencyKey(operation)
    // A key may repeat whatever changes something.
    assert.ok(takesKey || method === 'GET' || operation.security.every((by) => !('key' in by)), name)
    if (!takesKey || (sample.status ?? 200) >= 400) continue
    const target = pathOf(path, sample, about)
    const asked = (body: unknown) => ask(target, body, { headers: { 'idempotency-key': name } })
    const body = sample.body?.(about)
    const first = await asked(body)
    const again = await asked(body)
    assert.equal(first.status, sample.status ?? 200, `${name}: ${first.bytes}`)
    assert.equal(first.headers.get('idempotency-replayed'), null, name)
    assert.equal(again.headers.get('idempotency-replayed'), 'true', name)
    assert.deepEqual([again.status, again.body], [first.status, first.body], name)
    assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'), name)
    assert.equal(again.headers.get('location'), first.headers.get('location'), name)
    if (body === undefined) continue
    const { status, body: refusal } = await asked(JSON.stringify(body).replace(/}$/, ' }'))
    assert.deepEqual([status, refusal.error?.field], [400, 'Idempotency-Key'], name)
  }
})

test('a repeated request whose process has died once its work was done gets the answer of that', async () => {
  const calls = await everyCall(world, await furnish(world))
  for (const { name, path, operation, sample, ask, about } of removingLast(calls)) {
    const status = sample.status ?? 200
    if (!takesIdempotencyKey(operation) || status >= 400) continue
    const [target, body] = [pathOf(path, sample, about), sample.body?.(about)]
    const asked = () => ask(target, body, { headers: { 'idempotency-key': name } })
    {
      await using _ = await dyingOnceDone(world.database)
      await asked()
    }
    const again = await asked()
    assert.equal(again.status, status, `${name}: ${again.bytes}`)
  }
})

test('of a large draft little is kept, and its repeated answer is whole', async () => {
  const { address } = await organization.mailbox('writer')
  const text = `${'A long sentence. '.repeat(20_000)}\n`
  const ask = (method: string, path: string, body: object, key: string) =>
    organization.request(method, path, body, { headers: { 'idempotency-key': key } })
  const make = () => ask('POST', '/v1/drafts', { mailbox: address, subject: 'Long', text }, 'large')
  const [first, again] = [await make(), await make()]
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  const path = `/v1/drafts/${first.body.id}`
  const attach = () =>
    ask('POST', `${path}/attachments`, { filename: 'a.txt', content: Buffer.from('a').toString('base64') }, 'attached')
  const [attached, attachedAgain] = [await attach(), await attach()]
  assert.deepEqual(attachedAgain.body, attached.body)
  const edit = () => ask('PATCH', path, { subject: 'Longer' }, 'edited')
  const [edited, editedAgain] = [await edit(), await edit()]
  assert.deepEqual([editedAgain.status, editedAgain.body], [200, edited.body])
  const { rows } = await sql<{ most: number }>`
    select max(octet_length(answer)) as most from idempotency_keys where organization_id = ${organization.id}`.execute(
    world.db,
  )
  assert.ok((rows[0]?.most ?? 0) < 100_000, String(rows[0]?.most))
  assert.equal((await organization.request('DELETE', path)).status, 200)
  const gone = await make()
  assert.deepEqual([gone.status, gone.body.error.code], [404, 'not_found'])
})

test('a key is one organization’s, and a restricted key and each member have their own', async () => {
  const [other, body] = [await world.organization(), { name: 'Mine' }]
  const headers = { 'idempotency-key': 'shared' }
  const key = await organization.restrictedKey({ mailbox_ids: [randomUUID()] })
  const byMember = async (name: string) => {
    const member = await signIn(organization, (await organization.member(`${name}@people.example`, 'owner')).id)
    return () => member.request('POST', '/v1/labels', body, { headers })
  }
  for (const ask of [
    () => post('shared', body),
    () => post('shared', body, other),
    () => organization.request('POST', '/v1/labels', body, { key, headers }),
    ...[await byMember('ada'), await byMember('bob')],
  ])
    for (const replayed of [null, 'true']) assert.equal((await ask()).headers.get('idempotency-replayed'), replayed)
})

test('a refusal is an answer too', async () => {
  await post('first', { name: 'Taken' })
  const first = await post('refused', { name: 'Taken' })
  assert.equal(first.status, 400)
  const again = await post('refused', { name: 'Taken' })
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  const [{ request_id: one, ...error }, { request_id: other, ...repeated }] = [first.body.error, again.body.error]
  assert.deepEqual(repeated, error)
  assert.notEqual(other, one, 'each answer names its own request')
})

test('of concurrent requests with one key, one is done and the others must wait or get its answer', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('many', { name: 'Many' })))
  const made = answers.filter(({ status, headers }) => status === 201 && !headers.get('idempotency-replayed'))
  assert.equal(made.length, 1)
  for (const { status, headers, body } of answers) {
    if (status === 409) assert.equal(body.error.code, 'conflict')
    else assert.ok(status === 201, String(headers.get('idempotency-replayed')))
  }
  const { data } = (await organization.request('GET', '/v1/labels')).body
  assert.equal(data.filter((label: { name: string }) => label.name === 'Many').length, 1)
})

test('a 5xx releases the key', async () => {
  {
    await using _ = await failing(world.db, 'insert', 'labels')
    const failed = await post('released', { name: 'Released' })
    assert.deepEqual([failed.status, failed.body.error.code], [500, 'internal_error'])
    assert.doesNotMatch(JSON.stringify(failed.body), /not today/)
  }
  const answer = await post('released', { name: 'Released' })
  assert.equal(answer.status, 201)
  assert.equal(answer.headers.get('idempotency-replayed'), null)
})

for (const [what, key] of [
  ['empty', ''],
  ['longer than 255 characters', 'x'.repeat(256)],
  ['not ASCII', 'caf\u00e9'],
] as const)
  test(`an Idempotency-Key that is ${what} is refused`, async () => {
    const answer = await post(key, { name: 'Never' })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.field, 'Idempotency-Key')
  })
