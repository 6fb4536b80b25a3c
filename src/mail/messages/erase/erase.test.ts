import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { uidsAfter } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { World } from '#test/world/world.ts'
import { emptyFolder } from './erase.ts'

const world = await World.ofFile()
const organization = await world.organization({ plan: 'business' })

interface Box {
  readonly mailbox: MailboxRef
  readonly address: string
}

/** A mailbox of its own for a test, with messages of a folder, from uid 1 on. */
async function boxWith(count: number, folder = 'inbox'): Promise<Box> {
  const { id: mailboxId, address } = await organization.mailbox(`box-${randomUUID().slice(0, 8)}`)
  const box = { mailbox: { organizationId: organization.id, mailboxId }, address }
  await add(box, count, folder)
  return box
}

async function add({ mailbox }: Box, count: number, folder: string): Promise<void> {
  const messages = Array.from({ length: count }, (_, number) => {
    return { seen: false, receivedAt: Date.UTC(2026, 10, 21, 7, 0, number), sender: 'ann@x.test', headers: '' }
  })
  await storeMessages(world, mailbox, messages, folder)
}

const erase = ({ address }: Box, body: object, folder = 'inbox') =>
  organization.request('DELETE', `/v1/messages?mailbox=${address}&folder=${folder}`, body)

const empty = ({ address }: Box, folder: string, query = '', headers: Record<string, string> = {}) =>
  organization.request('POST', `/v1/folders/${folder}/empty?mailbox=${address}${query}`, undefined, { headers })

async function get(path: string) {
  return await organization.bodyOf(200, 'GET', path)
}

const uidsIn = ({ mailbox }: Box, folder: string) => uidsAfter(world.db, mailbox, folder, 0, 1_000)

/** What the event log tells of messages of a mailbox that are gone. */
async function deletions({ mailbox }: Box) {
  const ours = world.db.selectFrom('events').select(['data', 'actor_kind']).where('mailbox_id', '=', mailbox.mailboxId)
  const events = await ours.where('type', '=', 'message.deleted').orderBy('position').execute()
  return events.map(({ data, actor_kind }) => {
    const { folder, uid } = data as { folder: string; uid: number }
    return { folder, uid, by: actor_kind }
  })
}

test('messages are deleted for good, and forgotten by lists, conversations, search and storage', async () => {
  const box = await boxWith(3)
  await world.searchIndexer?.processAll()
  const found = async () => {
    const { data } = await get(`/v1/search?mailbox=${box.address}&q=text`)
    return data.map(({ uid }: { uid: number }) => uid).sort()
  }
  const listed = async (what: string) => (await get(`/v1/${what}?mailbox=${box.address}`)).data.length
  const before = (await get('/v1/usage')).storage.used_bytes
  assert.deepEqual([await found(), await listed('threads'), await listed('conversations')], [[1, 2, 3], 3, 3])

  const { status, body } = await erase(box, { uids: [9, 3, 1, 3] })
  assert.deepEqual([status, body], [200, { deleted: [1, 3], not_found: [9], undoable: false }])
  assert.deepEqual([await found(), await listed('threads'), await listed('conversations')], [[2], 1, 1])
  assert.equal(await listed('messages'), 1)
  assert.ok((await get('/v1/usage')).storage.used_bytes < before)
  assert.deepEqual((await erase(box, { uids: [1, 3] })).body, { deleted: [], not_found: [1, 3], undoable: false })

  assert.partialDeepStrictEqual(await deletions(box), [
    { folder: 'inbox', uid: 1, by: 'key' },
    { folder: 'inbox', uid: 3, by: 'key' },
  ])
})

test('messages of a folder that is not there are not deleted', async () => {
  const box = await boxWith(1)
  const answer = await erase(box, { uids: [1] }, 'Nowhere')
  assert.deepEqual([answer.status, answer.body.error.field], [400, 'folder'])
  assert.deepEqual(await uidsIn(box, 'inbox'), [1])
})

test('an undo names what was deleted for good since, and reverts the rest', async () => {
  const box = await boxWith(3)
  const path = `/v1/messages?mailbox=${box.address}`
  const moved = await organization.request('PATCH', path, { uids: [1, 2, 3], folder: 'trash' })
  await erase(box, { uids: [2] }, 'trash')
  const { body } = await organization.request('POST', `/v1/changes/${moved.body.change_id}/undo`)
  assert.deepEqual(body.left, [{ id: null, mailbox: box.address, folder: 'trash', uid: 2, reason: 'gone' }])
  assert.deepEqual([await uidsIn(box, 'trash'), (await uidsIn(box, 'inbox')).length], [[], 2])
})

for (const [folder, name] of Object.entries({ trash: 'trash', junk: 'junk', Spam: 'junk' }))
  test(`POST /v1/folders/${folder}/empty empties ${name} and no other folder`, async () => {
    const box = await boxWith(3, name)
    const other = await boxWith(1, name)
    await add(box, 1, 'archive')
    const { status, body } = await empty(box, folder)
    assert.deepEqual([status, body], [200, { deleted: 3, has_more: false, up_to_uid: 3, undoable: false }])
    assert.deepEqual([await uidsIn(box, name), await uidsIn(box, 'archive'), await uidsIn(other, name)], [[], [1], [1]])
    assert.equal((await deletions(box)).length, 3)
    assert.deepEqual((await empty(box, folder)).body.deleted, 0)
  })

test('no other folder can be emptied', async () => {
  const box = await boxWith(1)
  for (const folder of ['inbox', 'archive', 'Nowhere']) {
    const { status, body } = await empty(box, folder)
    assert.deepEqual([status, body.error.field], [400, 'path'])
  }
  assert.deepEqual(await uidsIn(box, 'inbox'), [1])
})

test('messages that arrive after the request began stay', async () => {
  const box = await boxWith(3, 'trash')
  const { body } = await empty(box, 'trash', '&up_to_uid=2')
  assert.deepEqual(body, { deleted: 2, has_more: false, up_to_uid: 2, undoable: false })
  assert.deepEqual(await uidsIn(box, 'trash'), [3])
})

test('a folder that takes long is emptied by several requests', async () => {
  const box = await boxWith(501, 'trash')
  const step = () => emptyFolder(world.db, box.mailbox, 'trash', { upToUid: 501, by: byOperator, most: 0 })
  assert.deepEqual(await step(), { deleted: 500, hasMore: true })
  await add(box, 1, 'trash')
  assert.deepEqual(await step(), { deleted: 1, hasMore: false })
  assert.deepEqual(await uidsIn(box, 'trash'), [502])
})
