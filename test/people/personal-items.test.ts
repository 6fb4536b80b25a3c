import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { roles } from '#/people/members/member.ts'
import { removeMember } from '#/people/members/members.ts'
import { each } from '#test/world/each.ts'
import type { SignedInMember } from '#test/world/members/signed-in.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { noteFilter, withOwnThings } from '#test/world/organization/personal-items.ts'
import { memberOperations, pathOf, removingLast } from '#test/world/routes/every-route.ts'
import { ownSamples } from '#test/world/routes/samples.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

const ownOperations = async () => (await memberOperations(world)).filter(({ name }) => name in ownSamples)

for (const role of roles)
  test(`every route of own things × ${role}: their own exist, and nobody else's`, async () => {
    const one = await furnish(world)
    const elsewhere = await furnish(world)
    const own = await withOwnThings(one.organization, role)
    const other = await withOwnThings(one.organization)
    const about: Furnished = { ...one, address: own.mailbox.address, ids: { ...one.ids, ...own.ids } }
    const operations = await ownOperations()
    assert.equal(operations.length, 20)
    for (const { name, method, path, sample } of removingLast(operations)) {
      const ask = (id?: string) => own.member.request(method, pathOf(path, sample, about, id), sample.body?.(about))
      const item = sample.item as keyof typeof own.ids | undefined
      const strangers = item ? [one.ids[item], elsewhere.ids[item], other.ids[item], crypto.randomUUID()] : []
      for (const id of strangers) assert.equal((await ask(id)).status, 404, `${name} with ${id}`)
      const answer = await ask()
      assert.equal(answer.status, sample.status ?? 200, `${name}: ${answer.bytes}`)
    }
    for (const path of ['/v1/me/labels', '/v1/me/filters', '/v1/me/blocked-senders'])
      assert.equal((await other.member.request('GET', path)).body.data.length, 1, `of another member, ${path}`)
  })

/** The message in the mailbox as each sees it: the labels, and the names of the filters that acted. */
async function seen(address: string, ask: (path: string) => ReturnType<SignedInMember['request']>) {
  const { body: list } = await ask(`/v1/messages?mailbox=${address}`)
  const [{ uid, thread_id }] = list.data
  const { body: message } = await ask(`/v1/messages/${uid}?mailbox=${address}`)
  const { body: thread } = await ask(`/v1/threads/${thread_id}?mailbox=${address}`)
  assert.deepEqual(list.data[0].labels, message.labels)
  assert.deepEqual(thread.messages[0].labels, message.labels)
  return { uid, labels: message.labels, filters: each(message.filtered_by, 'name') }
}

test('a member sees their own keywords and filters on their mail, and a key sees neither', async () => {
  const organization = await world.organization()
  const { member, mailbox, keyword } = await withOwnThings(organization)
  const { body: shared } = await organization.request('POST', '/v1/labels', { name: 'Shared' })
  const added = { ...noteFilter, name: 'Organization’s label', action: 'label', argument: shared.keyword }
  assert.equal((await member.request('POST', '/v1/me/filters', added)).status, 201)
  await organization.request('POST', '/v1/filters', { ...noteFilter, name: 'Star', action: 'star' })
  await world.send({ from: 'ann@books.example', to: mailbox.address, subject: 'A note', text: 'Hello' })
  const mine = await seen(mailbox.address, (path) => member.request('GET', path))
  assert.deepEqual(mine.labels.toSorted(), [keyword, shared.keyword].toSorted())
  assert.deepEqual(mine.filters, ['Star', 'Notes', 'Organization’s label'])
  const keys = await seen(mailbox.address, (path) => organization.request('GET', path))
  assert.deepEqual([keys.labels, keys.filters], [[shared.keyword], ['Star']])

  const list = (asker: Pick<SignedInMember, 'request'>) =>
    asker.request('GET', `/v1/messages?mailbox=${mailbox.address}&label=${keyword}`)
  assert.deepEqual([(await list(member)).body.total, (await list(organization)).status], [1, 400])
})

test('in a session, messages take the organization’s labels and one’s own; another member’s are unknown', async () => {
  const organization = await world.organization()
  const { member, mailbox, keyword } = await withOwnThings(organization)
  const other = await withOwnThings(organization)
  assert.notEqual(other.keyword, keyword)
  const { body: shared } = await organization.request('POST', '/v1/labels', { name: 'Shared' })
  await world.send({ from: 'ann@books.example', to: mailbox.address, subject: 'Hello', text: 'Hello' })
  const { uid } = await seen(mailbox.address, (path) => member.request('GET', path))
  const change = (asker: Pick<SignedInMember, 'request'>, labels: object) =>
    asker.request('PATCH', `/v1/messages?mailbox=${mailbox.address}`, { uids: [uid], ...labels })
  const one = (labels: object) => member.request('PATCH', `/v1/messages/${uid}?mailbox=${mailbox.address}`, labels)
  assert.equal((await change(member, { add_labels: [keyword, other.keyword] })).status, 400)
  assert.equal((await change(organization, { add_labels: [keyword] })).status, 400)
  assert.equal((await change(member, { add_labels: [keyword, shared.keyword] })).status, 200)
  assert.deepEqual((await one({ starred: true })).body.labels.toSorted(), [keyword, shared.keyword].toSorted())
  assert.deepEqual((await one({ remove_labels: [keyword] })).body.labels, [shared.keyword])
})

test('a trial of own filters runs the organization’s first', async () => {
  const organization = await world.organization()
  const { member, keyword } = await withOwnThings(organization)
  const move = { ...noteFilter, name: 'Move', action: 'move', argument: 'archive' }
  await organization.request('POST', '/v1/filters', move)
  const draft = { ...noteFilter, name: 'Draft', action: 'move', argument: 'trash' }
  const body = { message: { from: 'ann@books.example', subject: 'A note' }, filter: draft }
  const { body: trial } = await member.request('POST', '/v1/me/filters/test', body)
  assert.deepEqual(each(trial.matches, 'name', 'applied', 'reason'), [
    ['Move', true, null],
    ['Notes', true, null],
    ['Draft', false, 'earlier_move'],
  ])
  assert.deepEqual(trial.result, { folder: 'archive', labels: [keyword], starred: false, unread: true })
})

test('a member who was removed meanwhile adds nothing, in the moments in which their session is still believed', async () => {
  const organization = await world.organization()
  const { member } = await withOwnThings(organization)
  await removeMember(world.db, organization.id, member.id, byOperator)
  for (const [path, body] of [
    ['/v1/me/labels', { name: 'New' }],
    ['/v1/me/filters', { ...noteFilter, action: 'star' }],
    ['/v1/me/blocked-senders', { pattern: '@new.example' }],
  ] as const)
    assert.ok([401, 404].includes((await member.request('POST', path, body)).status), path)
})
