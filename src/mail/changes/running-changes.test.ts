import { findFolder } from '#/mail/store/folders.ts'
import { failing } from '#test/world/database/failing.ts'
import { meanwhile } from '#test/world/observe/meanwhile.ts'
// On both databases: processes claim changes from each other.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Actor } from '#/base/audit/actor.ts'
import { byOperator } from '#/base/audit/actor.ts'
import { listMessages } from '#/mail/store/list.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { World } from '#test/world/world.ts'
import { beginReplacing } from './begin.ts'

const world = await World.ofFile()
const organization = await world.organization({ plan: 'business' })

/** A mailbox with so many unread messages in its inbox. */
async function newBox(name: string, count: number): Promise<{ id: string; address: string }> {
  const { id, address } = await organization.mailbox(name)
  const messages = Array.from({ length: count }, (_, number) => {
    return { seen: false, receivedAt: Date.UTC(2026, 10, 21) + number, sender: 'ann@far.example', headers: '' }
  })
  await storeMessages(world, { organizationId: organization.id, mailboxId: id }, messages)
  return { id, address }
}

const undo = (id: string) => organization.request('POST', `/v1/changes/${id}/undo`)

async function shown(id: string) {
  return (await organization.request('GET', `/v1/changes/${id}`)).body
}

test('a change that fails again and again holds up no other', async () => {
  const { runningChanges } = world
  const boxes = [await newBox('ada', 1), await newBox('bea', 1)]
  const changes: string[] = []
  for (const { address } of boxes) {
    const change = { uids: [1], starred: true }
    changes.push((await organization.request('PATCH', `/v1/messages?mailbox=${address}`, change)).body.change_id)
  }
  const folder = await findFolder(world.db, { organizationId: organization.id, mailboxId: boxes[0]?.id ?? '' }, 'inbox')
  {
    await using _broken = await failing(world.db, 'update', 'mail_messages')
    for (const id of changes) assert.equal((await undo(id)).status, 500)
  }
  await using broken = await failing(world.db, 'update', 'mail_messages', `new.folder_id = ${folder.id}`)
  await assert.rejects(runningChanges.processSome(1), /not today/)
  await runningChanges.processSome(1)
  const states = async () => {
    const undos = await Promise.all(changes.map(async (id) => (await shown(id)).undone_by))
    return Promise.all(undos.map(async (id) => (await shown(id)).state))
  }
  assert.deepEqual(await states(), ['running', 'done'])
  await broken[Symbol.asyncDispose]()
  await runningChanges.processAll()
  assert.deepEqual(await states(), ['done', 'done'])
})

test('a change that fails at every attempt has failed in the end, with what it did until then', async () => {
  const { runningChanges } = world
  const { address } = await newBox('dora', 1_000)
  const { id, keyword } = (await organization.request('POST', '/v1/labels', { name: 'Doomed' })).body
  const uids = Array.from({ length: 1_000 }, (_, at) => at + 1)
  for (const some of [uids.slice(0, 500), uids.slice(500)])
    await organization.request('PATCH', `/v1/messages?mailbox=${address}`, { uids: some, add_labels: [keyword] })
  // Lists begin with the newest.
  await using broken = await failing(world.db, 'update', 'mail_messages', 'new.uid <= 500')
  const { status, body } = await organization.request('DELETE', `/v1/labels/${id}?from_messages=true`)
  assert.deepEqual([status, (await shown(body.change_id)).state], [200, 'running'])
  while ((await shown(body.change_id)).state === 'running') await runningChanges.processAll().catch(() => {})
  const { state, error, messages } = await shown(body.change_id)
  assert.deepEqual([state, messages], ['failed', 500])
  assert.match(error, /50 attempts/)
  await broken[Symbol.asyncDispose]()
  assert.equal((await undo(body.change_id)).body.messages, 500)
})

test('whoever asks again for a removal that runs gets the same change, and others get their own', async () => {
  const [ann, bob] = ['ann', 'bob'].map((name) => ({ ...byOperator, name, id: randomUUID(), kind: 'member' as const }))
  const { id: mailboxId } = await newBox('again', 1)
  const begin = (by: Actor = byOperator, keyword = 'again', other: string | null = null) =>
    world.db.transaction().execute((tx) => {
      const change = { organizationId: organization.id, mailboxes: [mailboxId], by }
      return beginReplacing(tx, change, { keyword, by: other })
    })
  const first = await begin(ann)
  assert.equal(await begin(ann), first)
  const others = [await begin(bob), await begin(ann, 'another'), await begin(ann, 'again', 'other')]
  assert.equal(new Set([first, ...others]).size, 4)
  await world.runningChanges.processAll()
  assert.notEqual(await begin(ann), first)
  await world.runningChanges.processAll()
})

test('what a run has changed can be undone although its member is removed meanwhile', async () => {
  const { id: mailboxId, address } = await newBox('cleo', 1_000)
  const { id } = await organization.member(address)
  const member = await signIn(organization, id)
  const filter = { name: 'Ann', field: 'from', op: 'contains', value: 'ann', action: 'star' }
  assert.equal((await member.request('POST', '/v1/me/filters', filter)).status, 201)
  const run = (await member.request('POST', '/v1/me/filters/runs', {})).body
  await world.filterRunner.processSome(2)
  const { change_id } = (await member.request('GET', `/v1/me/filter-runs/${run.id}`)).body
  await world.runningChanges.processAll()
  assert.equal((await shown(change_id)).state, 'running')
  await world.db.deleteFrom('members').where('id', '=', id).execute()
  await world.filterRunner.processAll()
  await world.runningChanges.processAll()
  const { state, messages } = await shown(change_id)
  assert.deepEqual([state, messages < 1_000], ['done', true])
  assert.equal((await undo(change_id)).body.messages, messages)
  const { messages: starred } = await listMessages(world.db, { organizationId: organization.id, mailboxId }, 'inbox', {
    limit: 1_000,
    page: 0,
  })
  assert.ok(starred.every(({ flagged }) => !flagged))
})

const movements: readonly [string, string, string, object | undefined, string][] = [
  ['moved', 'PATCH', '/v1/messages?folder=Bills', { uids: [1], folder: 'archive' }, 'archive'],
  ['moved with the deletion of their folder', 'DELETE', '/v1/folders/Bills?move_to=trash', undefined, 'trash'],
]
for (const [what, method, path, change, place] of movements)
  test(`an undo follows messages that are ${what} while it runs`, async (t) => {
    const { db } = world
    const { id: mailboxId, address } = await newBox(`box-${place}`, 2)
    const bulk = async (folder: string, body: object) => {
      return await organization.bodyOf(200, 'PATCH', `/v1/messages?mailbox=${address}&folder=${folder}`, body)
    }
    await bulk('inbox', { uids: [1, 2], folder: 'Bills' })
    const { change_id } = await bulk('Bills', { uids: [1, 2], starred: true })
    meanwhile(t, db, 'select "name" from "mail_folders"', {
      before: async () => {
        assert.equal((await organization.request(method, `${path}&mailbox=${address}`, change)).status, 200)
      },
    })
    const { messages, left } = (await undo(change_id)).body
    assert.deepEqual([messages, left], [2, []])
    const mailbox = { organizationId: organization.id, mailboxId }
    const { messages: there } = await listMessages(db, mailbox, place, { limit: 10, page: 0 })
    assert.ok(there.length > 0 && there.every(({ flagged }) => !flagged))
  })
