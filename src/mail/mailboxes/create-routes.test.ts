// On both databases: requests reach a cap at once.
import assert from 'node:assert/strict'
import { argon2Sync, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openPgpKey } from '#test/world/letters/openpgp-key.ts'
import { tablesWith } from '#test/world/observe/tables-with.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

const organization = await world.organization({ plan: 'business' })
const publicKey = (await openPgpKey()).publicKey

function create(body: object, to = organization, headers: Record<string, string> = {}) {
  return to.request('POST', '/v1/mailboxes', { domain: to.domain, ...body }, { headers })
}

test('a mailbox is created with all given fields, and listed without its password', async () => {
  const own = await world.organization()
  const { status, body } = await create({ local_part: 'ada', name: ' Ada Lovelace ' }, own)
  const { id, created_at, password, ...rest } = body
  assert.equal(status, 201)
  assert.deepEqual(rest, {
    ...{ address: `ada@${own.domain}`, local_part: 'ada', domain: own.domain, name: 'Ada Lovelace', kind: 'smart' },
    ...{ aliases: [`abuse@${own.domain}`, `postmaster@${own.domain}`], suspended: false, storage_used_bytes: 0 },
  })
  assert.match(password, /^([a-z2-9]{6}-){3}[a-z2-9]{6}$/)
  const { data } = (await own.request('GET', '/v1/mailboxes')).body
  assert.deepEqual(data, [{ ...rest, id, created_at }])
  const second = await create({ local_part: 'bob' }, own)
  assert.deepEqual(second.body.aliases, [])
  assert.notEqual(second.body.password, password)
  await world.send({ from: 'ann@shop.example', to: `bob@${own.domain}`, subject: 'Hello', text: 'Hello' })
})

test('the domain can be named by its id, in capitals, or as people write it', async () => {
  const own = await world.organization()
  await world.db.updateTable('domains').set({ domain: 'xn--bcher-kva.test' }).where('domain', '=', own.domain).execute()
  const { id } = await world.db
    .selectFrom('domains')
    .select('id')
    .where('organization_id', '=', own.id)
    .executeTakeFirstOrThrow()
  for (const domain of [{ domain_id: id }, { domain: 'BÜCHER.test' }, { domain: 'xn--BCHER-kva.test.' }]) {
    const body = { local_part: `a-${randomUUID().slice(0, 8)}`, ...domain }
    const answer = await own.request('POST', '/v1/mailboxes', body)
    assert.deepEqual([answer.status, answer.body.domain], [201, 'xn--bcher-kva.test'])
  }
})

test('a password that is given is not shown, and what is stored is its argon2id hash', async () => {
  const given = 'Zwölf Boxkämpfer'
  const { status, body } = await create({ local_part: 'given', password: given.normalize('NFD') })
  assert.equal(status, 201)
  assert.ok(!('password' in body))
  const made = (await create({ local_part: 'made' })).body
  await assertHash(body.id, given)
  await assertHash(made.id, made.password)
})

async function assertHash(id: string, password: string): Promise<void> {
  const row = await world.db.selectFrom('mailboxes').select('password_hash').where('id', '=', id).executeTakeFirst()
  const [, kind, version, parameters, salt = '', hash = ''] = row?.password_hash?.split('$') ?? []
  assert.deepEqual([kind, version, parameters], ['argon2id', 'v=19', 'm=19456,t=2,p=1'])
  const again = argon2Sync('argon2id', {
    ...{ message: password, nonce: Buffer.from(salt, 'base64'), parallelism: 1, tagLength: 32 },
    ...{ memory: 19456, passes: 2 },
  })
  assert.deepEqual(again, Buffer.from(hash, 'base64'))
}

for (const [what, body, status, field, message] of [
  ['no domain', { domain: undefined }, 400, 'domain', /either domain or domain_id/],
  ['two domains', { domain_id: randomUUID() }, 400, 'domain', /either domain or domain_id/],
  ['an unknown domain', { domain: 'elsewhere.test' }, 404, undefined, /^No such domain$/],
  ['what is no domain', { domain: 'a b' }, 404, undefined, /^No such domain$/],
  ['an unknown id', { domain: undefined, domain_id: randomUUID() }, 404, undefined, /domain$/],
  ['a capital', { local_part: 'Ada' }, 400, 'local_part', /lower-case/],
  ['a name of 129 characters', { name: 'x'.repeat(129) }, 400, 'name', /128/],
  ['Private without a key', { kind: 'private' }, 400, 'public_key', /needed/],
  ['Smart with a key', { public_key: publicKey }, 400, 'public_key', /for a Private mailbox/],
  ['a key that is none', { kind: 'private', public_key: 'x' }, 400, 'public_key', /not an OpenPGP certificate/],
  ['a password of 11 characters', { password: 'abcdefghijk' }, 400, 'password', /at least 12/],
] as const)
  test(`refused, and nothing is created: ${what}`, async () => {
    const answer = await create({ local_part: 'x', ...body })
    assert.deepEqual([answer.status, answer.body.error.field], [status, field])
    assert.match(answer.body.error.message, message)
    const rows = await world.db.selectFrom('mailboxes').select('id').where('local_part', '=', 'x').execute()
    assert.deepEqual(rows, [])
  })

test('another organization’s domain is not_found, like one that does not exist', async () => {
  const other = await world.organization()
  const { id } = await world.db
    .selectFrom('domains')
    .select('id')
    .where('domain', '=', other.domain)
    .executeTakeFirstOrThrow()
  for (const named of [{ domain: other.domain }, { domain: undefined, domain_id: id }])
    assert.equal((await create({ local_part: 'x', ...named })).status, 404)
})

test('a repeated answer has the same password, and nothing of it is in the database in plain', async () => {
  const password = `secret-${randomUUID()}`
  const given = await create({ local_part: 'kept-given', password }, organization, { 'idempotency-key': 'given' })
  const made = await create({ local_part: 'kept-made' }, organization, { 'idempotency-key': 'made' })
  const again = await create({ local_part: 'kept-made' }, organization, { 'idempotency-key': 'made' })
  assert.deepEqual([given.status, made.status], [201, 201])
  assert.deepEqual(again.body, made.body)
  for (const secret of [password, made.body.password]) assert.deepEqual(await tablesWith(world.db, secret), [])
})
