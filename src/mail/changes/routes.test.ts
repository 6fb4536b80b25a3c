// On both databases: requests undo one change at once.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mock, test } from 'node:test'
import { sql } from 'kysely'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { listMessages } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { each } from '#test/world/each.ts'
import { World } from '#test/world/world.ts'
import { forgetChanges } from './queries.ts'

const world = await World.ofFile()
const organization = await world.organization({ plan: 'business' })

interface Box {
  readonly mailbox: MailboxRef
  readonly address: string
}

/** A mailbox of its own for a test, with unread messages 1 to 3 in its inbox. */
async function newBox(): Promise<Box> {
  const { id: mailboxId, address } = await organization.mailbox(`box-${randomUUID().slice(0, 8)}`)
  const mailbox = { organizationId: organization.id, mailboxId }
  const messages = [0, 1, 2].map((number) => ({
    ...{ seen: false, receivedAt: Date.UTC(2026, 10, 21, 7, number), sender: 'ann@x.test', headers: '' },
  }))
  await storeMessages(world, mailbox, messages)
  return { mailbox, address }
}

async function bulk({ address }: Box, body: object, folder = 'inbox') {
  return await organization.bodyOf(200, 'PATCH', `/v1/messages?mailbox=${address}&folder=${folder}`, body)
}

const undo = (id: string) => organization.request('POST', `/v1/changes/${id}/undo`)

async function uidsIn({ mailbox }: Box, folder: string): Promise<number[]> {
  const { messages } = await listMessages(world.db, mailbox, folder, { limit: 100, page: 0 })
  return messages.map(({ uid }) => uid).sort((a, b) => a - b)
}

test('a change is listed and undone for 30 days, and its record is deleted then', async () => {
  const box = await newBox()
  const { change_id: old } = await bulk(box, { uids: [1], starred: true })
  const { change_id: recent } = await bulk(box, { uids: [2], starred: true })
  const ago = (id: string, days: number) =>
    sql`update changes set at = at - ${days}::integer * interval '1 day' where id = ${id}`.execute(world.db)
  await ago(old, 30)
  await ago(recent, 29)
  const listed = each((await organization.request('GET', '/v1/changes')).body.data, 'id')
  assert.deepEqual([listed.includes(old), listed.includes(recent)], [false, true])
  assert.equal((await organization.request('GET', `/v1/changes/${old}`)).status, 404)
  assert.equal((await undo(old)).status, 404)
  const stored = async () => {
    const { rows } = await sql<{ id: string; parts: number }>`
      select id, (select count(*) from change_parts where change_id = changes.id) as parts from changes
      where id in (${old}, ${recent})`.execute(world.db)
    return rows
  }
  const hour = 3_600_000
  await forgetChanges(world.db, new Date(world.clock.now() + hour), 1)
  assert.deepEqual(await stored(), [{ id: recent, parts: 1 }])
  assert.equal((await undo(recent)).status, 201)
  await forgetChanges(world.db, new Date(world.clock.now() + 48 * hour), 1)
  assert.deepEqual(await stored(), [])
})

test('a bulk change is listed and shown with every documented field, and so is its undo', async () => {
  const box = await newBox()
  const { change_id } = await bulk(box, { uids: [1, 2], folder: 'archive', unread: false })
  const shown = (await organization.request('GET', `/v1/changes/${change_id}`)).body
  assert.deepEqual(shown, {
    ...{ id: change_id, kind: 'messages', state: 'done', error: null, mailboxes: [box.address] },
    ...{ by: shown.by, at: shown.at, messages: 2, did: ['moved', 'read'], moved_to: ['archive'], left_alone: 0 },
    ...{ undoes: null, undone_by: null, left: [] },
  })
  assert.deepEqual(shown.by.kind, 'key')
  const { status, body, headers } = await undo(change_id)
  assert.equal(status, 201)
  assert.equal(headers.get('location'), `/v1/changes/${body.id}`)
  assert.deepEqual([body.kind, body.undoes, body.messages, body.left], ['undo', change_id, 2, []])
  assert.deepEqual([await uidsIn(box, 'archive'), await uidsIn(box, 'inbox')], [[], [3, 4, 5]])
  const { data } = (await organization.request('GET', '/v1/changes?limit=2')).body
  assert.deepEqual(each(data, 'id', 'undone_by'), [
    [body.id, null],
    [change_id, body.id],
  ])
})

test('a change says what it did, and so does its undo', async () => {
  const box = await newBox()
  const name = `Label ${randomUUID().slice(0, 8)}`
  const { body: label } = await organization.request('POST', '/v1/labels', { name })
  const did = async (body: object) => {
    const { change_id } = await bulk(box, { uids: [1, 2], ...body })
    const made = (await organization.request('GET', `/v1/changes/${change_id}`)).body
    return [made, (await undo(change_id)).body].map((one) => [...one.did, ...one.moved_to])
  }
  assert.deepEqual(await did({ unread: false }), [['read'], ['unread']])
  assert.deepEqual(await did({ starred: true, add_labels: [label.keyword] }), [
    ['starred', 'labelled'],
    ['unstarred', 'unlabelled'],
  ])
  assert.deepEqual(await did({ folder: 'Projects' }), [
    ['moved', 'Projects'],
    ['moved', 'inbox'],
  ])
})

test('a change that changes nothing has no id', async () => {
  const box = await newBox()
  assert.equal((await bulk(box, { uids: [1, 2], unread: true })).change_id, null)
  assert.equal((await bulk(box, { uids: [99], folder: 'archive' })).change_id, null)
})

test('an undo names messages that were deleted, moved or changed since, and reverts the others', async () => {
  const box = await newBox()
  const { change_id } = await bulk(box, { uids: [1, 2, 3], folder: 'archive', starred: true })
  await expungeMessages(world.db, box.mailbox, 'archive', [1])
  await bulk(box, { uids: [2], folder: 'Projects' }, 'archive')
  await bulk(box, { uids: [3], starred: false }, 'archive')
  const { body } = await undo(change_id)
  const left = each(body.left, 'folder', 'uid', 'reason')
  const here = async ({ folder, uid }: { folder: string; uid: number }) =>
    (await readSummaries(world.db, box.mailbox, folder, [uid]))[0]?.id ?? null
  assert.deepEqual(each(body.left, 'id').flat(), await Promise.all(body.left.map(here)))
  assert.deepEqual(
    left.sort((a: unknown[], b: unknown[]) => Number(a[1]) - Number(b[1]) || String(a[0]).localeCompare(String(b[0]))),
    [
      ['archive', 1, 'gone'],
      ['Projects', 1, 'moved'],
      ['archive', 3, 'changed'],
    ],
  )
  assert.equal(body.left_alone, 3)
  assert.deepEqual(await uidsIn(box, 'inbox'), [4])
  const [moved] = await readSummaries(world.db, box.mailbox, 'Projects', [1])
  assert.equal(moved?.flagged, false)
})

test('an undo creates a deleted folder again', async () => {
  const box = await newBox()
  await bulk(box, { uids: [1], folder: 'Old' })
  const back = await bulk(box, { uids: [1], folder: 'archive' }, 'Old')
  const path = `/v1/folders/Old?mailbox=${box.address}`
  assert.equal((await organization.request('DELETE', path)).status, 200)
  await undo(back.change_id)
  assert.deepEqual(await uidsIn(box, 'Old'), [1])
})

test('a change is undone once, however often and by however many it is asked', async () => {
  const box = await newBox()
  const { change_id } = await bulk(box, { uids: [1, 2, 3], folder: 'archive' })
  const answers = await Promise.all([undo(change_id), undo(change_id), undo(change_id)])
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  for (const { body } of answers) assert.equal(body.state, 'done')
  const { status, body } = await undo(change_id)
  assert.deepEqual([status, body.state, body.messages], [200, 'done', 3])
  assert.deepEqual(await uidsIn(box, 'inbox'), [4, 5, 6])
})

test('requests pass between the parts of an undo', async () => {
  const box = await newBox()
  const alike = await bulk(box, { uids: [1], unread: false })
  const unlike = await bulk(box, { uids: [1, 2], unread: false, starred: true })
  const letPass = mock.method(world.foreground, 'letPass')
  const passed: number[] = []
  for (const { change_id } of [unlike, alike]) {
    assert.equal((await undo(change_id)).body.state, 'done')
    passed.push(letPass.mock.callCount())
  }
  assert.deepEqual(passed, [1, 1])
})

test('an interrupted undo is finished by whoever looks', async () => {
  const box = await newBox()
  const { change_id } = await bulk(box, { uids: [1], starred: true })
  const { body } = await undo(change_id)
  await world.db.updateTable('changes').set({ state: 'running' }).where('id', '=', body.id).execute()
  await world.runningChanges.processAll()
  assert.equal((await organization.request('GET', `/v1/changes/${body.id}`)).body.state, 'done')
})

test('a change that still runs is not undone yet', async () => {
  const box = await newBox()
  const { change_id } = await bulk(box, { uids: [1], starred: true })
  await world.db.updateTable('changes').set({ state: 'running' }).where('id', '=', change_id).execute()
  assert.equal((await undo(change_id)).status, 409)
})

test('with a mailbox or an organization its changes go', async () => {
  const box = await newBox()
  const { change_id } = await bulk(box, { uids: [1], starred: true })
  await world.db.deleteFrom('mailboxes').where('id', '=', box.mailbox.mailboxId).execute()
  assert.equal((await organization.request('GET', `/v1/changes/${change_id}`)).status, 404)
  const parts = await world.db.selectFrom('change_parts').select('id').where('change_id', '=', change_id).execute()
  assert.deepEqual(parts, [])
})

test('a deleted mailbox that had no message of a change hides it from nobody', async () => {
  const [one, other] = [await newBox(), await newBox()]
  const keyFor = (...boxes: Box[]) =>
    organization.restrictedKey({ mailbox_ids: boxes.map(({ mailbox }) => mailbox.mailboxId) })
  const { body: label } = await organization.request('POST', '/v1/labels', { name: randomUUID().slice(0, 8) })
  await bulk(one, { uids: [1], add_labels: [label.keyword] })
  const both = { key: await keyFor(one, other) }
  const path = `/v1/labels/${label.id}?from_messages=true`
  const { change_id } = (await organization.request('DELETE', path, undefined, both)).body
  const options = { key: await keyFor(one) }
  const shown = async () => (await organization.request('GET', `/v1/changes/${change_id}`, undefined, options)).status
  assert.equal(await shown(), 404)
  await world.db.deleteFrom('mailboxes').where('id', '=', other.mailbox.mailboxId).execute()
  assert.equal(await shown(), 200)
  const undone = await organization.request('POST', `/v1/changes/${change_id}/undo`, undefined, options)
  assert.equal(undone.body.messages, 1)
})
