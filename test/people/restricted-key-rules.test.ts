import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { addAlias } from '#/mail/mailboxes/aliases.ts'
import { removeMailbox } from '#/mail/mailboxes/remove.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** An organization with the mailboxes ada and bob, and a key that sees ada alone. */
async function two() {
  const organization = await world.organization()
  const ada = await organization.mailbox('ada')
  const bob = await organization.mailbox('bob')
  const key = await organization.restrictedKey({ mailbox_ids: [ada.id] })
  const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    organization.request(method, path, body, { key, ...(headers && { headers }) })
  return { organization, ada, bob, key, ask }
}

test('usage is that of the mailboxes that a key sees', async () => {
  const { organization, ada, bob, ask } = await two()
  await world.send({ from: 'ann@example.com', to: [ada.address, bob.address], subject: 'x', text: 'x'.repeat(5_000) })
  const [usage, whole] = [(await ask('GET', '/v1/usage')).body, (await organization.request('GET', '/v1/usage')).body]
  assert.deepEqual([usage.mailboxes.used, whole.mailboxes.used], [1, 2])
  const { data } = (await ask('GET', '/v1/mailboxes')).body
  assert.equal(usage.storage.used_bytes, data[0].storage_used_bytes)
  assert.ok(usage.storage.used_bytes > 5_000 && whole.storage.used_bytes > 10_000)
})

test('a mailbox that is made again under the same address is another one', async () => {
  const { organization, ada, ask } = await two()
  const paths = ['/v1/threads?mailbox=', '/v1/messages?mailbox=', '/v1/folders?mailbox=', '/v1/mailboxes/']
  for (const path of paths) assert.equal((await ask('GET', path + ada.address)).status, 200, path)
  const { db } = world
  const mailbox = { organizationId: organization.id, mailboxId: ada.id }
  await removeMailbox({ db }, mailbox, byOperator, () => {})
  await organization.mailbox('ada')
  for (const path of paths) {
    assert.equal((await organization.request('GET', path + ada.address)).status, 200, path)
    assert.equal((await ask('GET', path + ada.address)).status, 404, path)
  }
  assert.partialDeepStrictEqual((await ask('GET', '/v1/mailboxes')).body, { total: 0, has_more: false })
})

test('a key sends from an alias of a mailbox that it sees, and from no other', async () => {
  const { organization, ada, bob, ask } = await two()
  for (const [mailbox, alias, status] of [
    [ada, 'sales', 202],
    [bob, 'press', 404],
  ] as const) {
    const from = `${alias}@${organization.domain}`
    const ref = { organizationId: organization.id, mailboxId: mailbox.id }
    await world.db.transaction().execute((tx) => addAlias(tx, ref, from, byOperator))
    assert.equal((await ask('POST', '/v1/send', { from, to: 'ann@nowhere.example', text: 'Hi' })).status, status, alias)
  }
})

test('a key has no mailbox write to whom it may not write', async () => {
  const { organization, address: mailbox } = await world.mailbox('ada')
  const key = await organization.restrictedKey({ recipients: ['@there.example'] })
  const change = async (change: object, by = key) => {
    const { status, body } = await organization.request('PATCH', '/v1/forwarding', { mailbox, ...change }, { key: by })
    return status === 200 ? 'done' : body.error.field
  }
  assert.equal(await change({ forward_to: 'ann@there.example', forward_enabled: true }), 'done')
  assert.equal(await change({ forward_to: 'ann@else.example' }), 'forward_to')
  assert.equal(await change({ reply_body: 'I am away.' }), 'done')
  assert.equal(await change({ reply_enabled: true }), 'reply_enabled')

  // What somebody else has switched on can be switched off, and not be changed.
  const theirs = { forward_to: 'ann@else.example', forward_enabled: true, reply_enabled: true }
  assert.equal(await change(theirs, organization.key), 'done')
  assert.equal(await change({ forward_enabled: true }), 'forward_to')
  assert.equal(await change({ forward_until: null }), 'forward_to')
  assert.equal(await change({ reply_body: 'Write to me elsewhere.' }), 'reply_enabled')
  assert.equal(await change({ reply_enabled: false }), 'done')
  assert.equal(await change({ forward_enabled: false }), 'done')
  assert.equal(await change({ forward_enabled: true }), 'forward_to')
})
