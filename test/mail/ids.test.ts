import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { levels } from '#/http/access/caller.ts'
import { giveAccess } from '#/mail/mailboxes/access/access.ts'
import { findFolder } from '#/mail/store/folders.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { letter } from '#test/world/letters/letter.ts'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { everyOperation, pathOf } from '#test/world/routes/every-route.ts'
import { samples } from '#test/world/routes/samples.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

interface Box {
  readonly id: string
  readonly address: string
}

/** Stores a message, and answers its id. */
async function stored({ id: organizationId }: TestOrganization, { id }: Box, folder = 'inbox'): Promise<string> {
  const mailbox = { organizationId, mailboxId: id }
  const flags = { seen: false, flagged: false, keywords: [], filteredBy: [] }
  const copy = { mailbox, folder, message: readMessage(Buffer.from(letter())), receivedAt: new Date(), ...flags }
  await world.store([copy])
  const { uid_next } = await findFolder(world.db, mailbox, folder)
  const [summary] = await readSummaries(world.db, mailbox, folder, [uid_next - 1])
  return summary?.id ?? ''
}

const share = (organization: TestOrganization, { id }: Box, memberId: string, level: (typeof levels)[number]) =>
  world.db.transaction().execute((tx) => {
    const mailbox = { organizationId: organization.id, mailboxId: id }
    return giveAccess(tx, { mailbox, memberId, shares: 'all', by: byOperator }, level)
  })

/** Every route of a message, by the message's id alone. */
async function everyRoute() {
  const one = await furnish(world)
  const query = `?mailbox=${one.address}`
  const { id } = await one.organization.bodyOf(200, 'GET', `/v1/messages/${one.ids.message}${query}`)
  const operations = (await everyOperation(world)).filter(({ path }) => path.includes('{uid}'))
  assert.ok(operations.length > 6)
  const calls = operations.map(({ name, method, path, sample, rule }) => {
    const target = pathOf(path, sample, { ...one, ids: { ...one.ids, message: id } })
    const alone = target.replace(`mailbox=${one.address}`, '').replace(/\?&|\?$/, (end) => (end === '?' ? '' : '?'))
    return { name, rule, call: [method, alone, sample.body?.(one)] as const, status: samples[name]?.status ?? 200 }
  })
  return { ...one, id, calls }
}

test('every route of a message takes its id without mailbox and folder, wherever the message is', async () => {
  const { organization, address, id, calls } = await everyRoute()
  const to = (folder: string) => organization.bodyOf(200, 'PATCH', `/v1/messages/${id}`, { folder })
  for (const folder of ['inbox', 'Projects/Apollo', 'trash']) {
    assert.partialDeepStrictEqual(await to(folder), { id, mailbox: address, folder })
    for (const { name, call, status } of calls) {
      const answer = await organization.request(...call)
      assert.equal(answer.status, status, `${name}: ${answer.bytes}`)
    }
  }
})

test('no route of a message finds it by its id for another organization, or for a key that does not see the mailbox', async () => {
  const { organization, calls } = await everyRoute()
  const other = await world.organization()
  const key = await organization.restrictedKey({ mailbox_ids: [(await organization.mailbox('other')).id] })
  const none = async (answer: Answer, name: string) =>
    assert.deepEqual([answer.status, answer.body.error.message], [404, 'No such message'], name)
  for (const { name, call } of calls) {
    await none(await other.request(...call), name)
    await none(await organization.request(...call, { key }), name)
  }
})

for (const level of levels)
  test(`every route of a message, by its id in a session × shared at the level ${level}`, async () => {
    const { organization, address, calls, id } = await everyRoute()
    const { id: memberId } = await organization.member(`${randomUUID()}@people.example`)
    const before = await signIn(organization, memberId)
    assert.equal((await before.request('GET', `/v1/messages/${id}`)).status, 404)
    await share(organization, await organization.bodyOf(200, 'GET', `/v1/mailboxes/${address}`), memberId, level)
    // A session learns within 5 seconds of what the operator gives.
    const session = await signIn(organization, memberId)
    for (const { name, rule, call, status } of calls) {
      const may = levels.indexOf(level) >= levels.indexOf(rule.level ?? 'read')
      const answer = await session.request(...call)
      assert.equal(answer.status, may ? status : 403, `${name}: ${answer.bytes}`)
    }
  })

test('many messages are changed, listed and deleted by their ids, in whatever folders and mailboxes they are', async () => {
  const organization = await world.organization()
  const boxes = await Promise.all(['ada', 'bob', 'hidden'].map((name) => organization.mailbox(name)))
  const [ada, bob, hidden] = boxes as [Box, Box, Box]
  const key = await organization.restrictedKey({ mailbox_ids: [ada.id, bob.id] })
  const elsewhere = await world.organization()
  const mine = [
    await stored(organization, ada),
    await stored(organization, ada, 'archive'),
    await stored(organization, bob),
  ]
  const others = [
    await stored(organization, hidden),
    await stored(elsewhere, await elsewhere.mailbox('ada')),
    'm0',
    '17',
  ]
  const ids = [...mine, ...others]
  const ask = (method: string, body: object) => organization.bodyOf(200, method, '/v1/messages', body, { key })
  const places = async () => {
    const { data } = await organization.bodyOf(200, 'GET', `/v1/messages?ids=${ids}`, undefined, { key })
    return data.map(({ id, mailbox, folder, starred }: Record<string, unknown>) => [id, mailbox, folder, starred])
  }
  const [one, two, three] = mine.toReversed()
  const before = [
    [one, bob.address, 'inbox', false],
    [two, ada.address, 'archive', false],
    [three, ada.address, 'inbox', false],
  ]
  assert.deepEqual(await places(), before)
  const answer = await ask('PATCH', { ids: [...ids, ...ids], folder: 'archive', starred: true })
  assert.deepEqual(answer, { change_id: answer.change_id, updated: mine, not_found: others, moved: [] })
  const after = before.map(([id, mailbox]) => [id, mailbox, 'archive', true])
  assert.deepEqual(await places(), after)
  await organization.bodyOf(201, 'POST', `/v1/changes/${answer.change_id}/undo`)
  assert.deepEqual(await places(), before)
  assert.deepEqual(await ask('DELETE', { ids }), { deleted: mine, not_found: others, undoable: false })
  assert.deepEqual(await places(), [])
  assert.equal((await organization.request('GET', `/v1/messages/${others[0]}`)).status, 200)
})

test('who may only read one of the mailboxes changes and deletes nothing by ids', async () => {
  const organization = await world.organization()
  const [ada, bob] = [await organization.mailbox('ada'), await organization.mailbox('bob')]
  const { id } = await organization.member(`${randomUUID()}@people.example`)
  await share(organization, ada, id, 'change')
  await share(organization, bob, id, 'read')
  const session = await signIn(organization, id)
  const ids = [await stored(organization, ada), await stored(organization, bob)]
  for (const [method, change] of [
    ['PATCH', { starred: true }],
    ['DELETE', {}],
  ] as const)
    assert.equal((await session.request(method, '/v1/messages', { ids, ...change })).status, 403)
  const { data } = await organization.bodyOf(200, 'GET', `/v1/messages?ids=${ids}`)
  assert.ok(data.every(({ starred }: { starred: boolean }) => !starred))
})

const change = { starred: true }
for (const [what, method, path, body, field] of [
  ['an id beside a mailbox', 'GET', '/{id}?mailbox={address}', undefined, 'mailbox'],
  ['an id beside a folder', 'PATCH', '/{id}?folder=inbox', change, 'folder'],
  ['a uid without a mailbox', 'GET', '/1', undefined, 'mailbox'],
  ['a list without a mailbox', 'GET', '', undefined, 'mailbox'],
  ['a list of ids beside a mailbox', 'GET', '?ids={id}&mailbox={address}', undefined, 'mailbox'],
  ['a list of ids beside uids', 'GET', '?ids={id}&uids=1', undefined, 'uids'],
  ['ids beside uids', 'PATCH', '', { ids: ['{id}'], uids: [1], ...change }, 'ids'],
  ['neither ids nor uids', 'PATCH', '?mailbox={address}', change, 'uids'],
  ['ids beside a mailbox', 'PATCH', '?mailbox={address}', { ids: ['{id}'], ...change }, 'mailbox'],
  ['uids without a mailbox', 'PATCH', '', { uids: [1], ...change }, 'mailbox'],
  ['501 ids', 'PATCH', '', { ids: Array(501).fill('{id}'), ...change }, 'ids'],
  ['ids and an unknown keyword', 'PATCH', '', { ids: ['{id}'], add_labels: ['nowhere'] }, 'add_labels[0]'],
  ['neither ids nor uids', 'DELETE', '?mailbox={address}', {}, 'uids'],
  ['ids beside a folder', 'DELETE', '?folder=trash', { ids: ['{id}'] }, 'folder'],
  ['an id of a Private mailbox', 'GET', '/{private}', undefined, 'uid'],
  ['an id of a Private mailbox', 'PATCH', '', { ids: ['{id}', '{private}'], ...change }, 'ids[1]'],
] as const)
  test(`${method} of messages with ${what} is refused, and names the field ${field}`, async () => {
    const organization = await world.organization()
    const ada = await organization.mailbox('ada')
    const id = await stored(organization, ada)
    const hidden = await stored(organization, await privateMailbox(organization, 'secret'))
    const filled = (text: string) =>
      text.replaceAll('{id}', id).replaceAll('{address}', ada.address).replaceAll('{private}', hidden)
    const given = body && JSON.parse(filled(JSON.stringify(body)))
    const answer = await organization.request(method, `/v1/messages${filled(path)}`, given)
    assert.deepEqual([answer.status, answer.body.error?.field], [400, field], answer.bytes.toString())
    assert.equal((await organization.bodyOf(200, 'GET', `/v1/messages/${id}`)).starred, false)
  })

test('what is no id of a message is not_found in a path', async () => {
  const organization = await world.organization()
  for (const id of ['m', 'm0', 'm0a', 'M1', `m${'z'.repeat(11)}`, 'mZ', 'me', `m${'1'.repeat(400)}`])
    assert.equal((await organization.bodyOf(404, 'GET', `/v1/messages/${id}`)).error.message, 'No such message', id)
})
