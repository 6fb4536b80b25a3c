import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeFolder } from '#/mail/store/make-folder.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { failing } from '#test/world/database/failing.ts'
import { hand, letter, subjectsIn } from '#test/world/letters/letter.ts'
import { answering, meanwhile } from '#test/world/observe/meanwhile.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

interface Box {
  readonly organization: TestOrganization
  readonly address: string
}

async function box(): Promise<Box> {
  const organization = await world.organization()
  return { organization, address: (await organization.mailbox('ada')).address }
}

type Query = { body?: object } & Record<string, unknown>

function ask({ organization, address }: Box, method: string, name: string, { body, ...query }: Query = {}) {
  const asked = new URLSearchParams({ mailbox: address, ...(query as Record<string, string>) })
  const path = name === '' ? '/v1/folders' : `/v1/folders/${encodeURIComponent(name)}`
  return organization.request(method, `${path}?${asked}`, body)
}

const make = (at: Box, name: string) => ask(at, 'POST', '', { body: { name } })

async function names(at: Box): Promise<string[]> {
  const { body } = await ask(at, 'GET', '')
  return body.data.map(({ name }: { name: string }) => name).slice(6)
}

/** Puts messages into a folder. */
async function fill(at: Box, folder: string, ...subjects: string[]) {
  for (const subject of subjects)
    assert.equal(await hand(world, 'x@peer.example', at.address, letter({ Subject: subject })), '250 2.6.0')
  const { body } = await at.organization.request('GET', `/v1/messages?mailbox=${at.address}&limit=100`)
  const uids = body.data.map(({ uid }: { uid: number }) => uid)
  const moved = await at.organization.request('PATCH', `/v1/messages?mailbox=${at.address}`, { uids, folder })
  assert.equal(moved.status, 200)
}

test('POST /v1/folders makes a folder, and answers 200 for one that is there', async () => {
  const at = await box()
  const made = await make(at, 'Projects/Apollo')
  assert.deepEqual([made.status, made.body], [201, { name: 'Projects/Apollo', role: null, total: 0, unread: 0 }])
  assert.deepEqual((await at.organization.request('GET', made.headers.get('location') ?? '')).body, made.body)
  assert.equal((await make(at, 'Projects/Apollo')).status, 200)
  assert.deepEqual((await make(at, 'SPAM')).body, { name: 'junk', role: 'junk', total: 0, unread: 0 })
  assert.deepEqual(await names(at), ['Projects/Apollo'])
})

test('a folder has no name that is none', async () => {
  const at = await box()
  await make(at, 'Old')
  for (const name of ['', 'a//b'])
    for (const answer of [await make(at, name), await ask(at, 'PATCH', 'Old', { body: { name } })])
      assert.deepEqual([answer.status, answer.body.error.field], [400, 'name'])
  assert.deepEqual(await names(at), ['Old'])
})

test('PATCH renames a folder with its mail and those within it', async () => {
  const at = await box()
  await make(at, 'Projects/Apollo/Moon')
  await fill(at, 'Projects/Apollo', 'Launch')
  const { status, body } = await ask(at, 'PATCH', 'Projects/Apollo', { body: { name: 'Done/Apollo' } })
  assert.deepEqual([status, body], [200, { name: 'Done/Apollo', role: null, total: 1, unread: 1 }])
  assert.deepEqual(await names(at), ['Done/Apollo', 'Done/Apollo/Moon'])
  assert.deepEqual(await subjectsIn(at.organization, at.address, 'Done/Apollo'), ['Launch'])
  const threads = await at.organization.request('GET', `/v1/threads?mailbox=${at.address}&folder=Done/Apollo`)
  assert.equal(threads.body.total, 1)
})

test('a folder is not renamed to what is there, into itself, or to where one within it has no room', async () => {
  const at = await box()
  for (const name of ['A', 'A/b', 'B']) await make(at, name)
  for (const name of ['B', 'Archive', 'A/x', 'x'.repeat(254)]) {
    const { status, body } = await ask(at, 'PATCH', 'A', { body: { name } })
    assert.deepEqual([status, body.error.field], [400, 'name'], name)
  }
  assert.deepEqual(await names(at), ['A', 'A/b', 'B'])
})

test('the six folders are neither renamed nor deleted', async () => {
  const at = await box()
  for (const name of ['inbox', 'Sent', 'drafts', 'archive', 'SPAM', 'trash']) {
    assert.equal((await ask(at, 'PATCH', name, { body: { name: 'Other' } })).status, 400)
    assert.equal((await ask(at, 'DELETE', name, { move_to: 'Other' })).status, 400)
  }
  assert.deepEqual(await names(at), [])
})

test('DELETE deletes an empty folder, and never one with mail', async () => {
  const at = await box()
  await make(at, 'Empty')
  const { status, body } = await ask(at, 'DELETE', 'Empty')
  assert.deepEqual([status, body], [200, { deleted: true, name: 'Empty', moved: 0, change_id: null }])
  await fill(at, 'Full', 'one')
  const refused = await ask(at, 'DELETE', 'Full')
  assert.deepEqual([refused.status, refused.body.error.field], [400, 'move_to'])
  assert.deepEqual(await names(at), ['Full'])
  assert.deepEqual(await subjectsIn(at.organization, at.address, 'Full'), ['one'])
})

test('DELETE moves the mail to the given folder, and creates it', async () => {
  const at = await box()
  await fill(at, 'Full', 'one', 'two', 'three')
  const { body } = await ask(at, 'DELETE', 'Full', { move_to: 'Kept/Here' })
  assert.deepEqual(body, { deleted: true, name: 'Full', moved: 3, change_id: body.change_id })
  assert.deepEqual(await names(at), ['Kept/Here'])
  assert.deepEqual((await subjectsIn(at.organization, at.address, 'Kept/Here')).sort(), ['one', 'three', 'two'])
  const undone = await at.organization.request('POST', `/v1/changes/${body.change_id}/undo`)
  assert.deepEqual([undone.status, undone.body.messages], [201, 3])
  assert.deepEqual((await subjectsIn(at.organization, at.address, 'Full')).sort(), ['one', 'three', 'two'])
})

/** Asks for a deletion whose first move fails, as where a connection is cut. */
async function cutShort(at: Box): Promise<void> {
  await using _cut = await failing(world.db, 'update', 'mail_messages')
  assert.equal((await ask(at, 'DELETE', 'Full', { move_to: 'archive' })).status, 500)
}

test('a deletion that is cut short goes on, whoever asks again gets it, and it can be undone', async () => {
  const at = await box()
  await fill(at, 'Full', 'one', 'two')
  const { runningChanges } = world
  await cutShort(at)
  const changes = async () => {
    const { data } = (await at.organization.request('GET', '/v1/changes')).body
    return data.filter(({ kind }: { kind: string }) => kind === 'folder_deleted')
  }
  const [{ id, state }] = await changes()
  assert.equal(state, 'running')
  const { body } = await ask(at, 'DELETE', 'Full', { move_to: 'archive' })
  assert.deepEqual([body.moved, body.change_id, (await changes()).length], [2, id, 1])
  await runningChanges.processAll()
  assert.equal((await at.organization.request('POST', `/v1/changes/${id}/undo`)).body.messages, 2)
})

test('a deletion that nobody waits for any more, and is refused, has failed with its reason', async () => {
  const at = await box()
  await fill(at, 'Full', 'one')
  await cutShort(at)
  await at.organization.request('PATCH', `/v1/folders/Full?mailbox=${at.address}`, { name: 'Other' })
  await assert.rejects(world.runningChanges.processAll(), { code: 'invalid_request' })
  const [change] = (await at.organization.request('GET', '/v1/changes')).body.data
  const reason = 'The folder was renamed to "Other" meanwhile'
  assert.deepEqual([change.state, change.error, change.messages], ['failed', reason, 0])
  assert.deepEqual(await subjectsIn(at.organization, at.address, 'Other'), ['one'])
})

for (const [method, when, text] of [
  ['PATCH', 'once folders are listed', 'select "name", "total", "unread" from "mail_folders"'],
  ['DELETE', 'once folders are listed', 'select "name", "total", "unread" from "mail_folders"'],
  ['DELETE', 'before it would be removed', 'select "name" from "mail_folders"'],
  ['DELETE', 'before its mail would be moved', 'order by uid limit'],
] as const)
  test(`${method} of a folder that is deleted ${when} is not_found`, async (t) => {
    const at = await box()
    const { db } = at.organization.world
    await fill(at, 'Old', 'one')
    const [mailbox] = await db
      .selectFrom('mailboxes')
      .select(['id as mailboxId', 'organization_id as organizationId'])
      .where('address', '=', at.address)
      .execute()
    if (!mailbox) return assert.fail()
    meanwhile(t, db, text, {
      after: async () => {
        await updateMessages(db, mailbox, 'Old', [1], { folder: 'archive' })
        await removeFolder(db, mailbox, 'Old')
      },
    })
    const query = method === 'PATCH' ? { body: { name: 'New' } } : { move_to: 'trash' }
    const { status, body } = await ask(at, method, 'Old', query)
    assert.deepEqual([status, body.error.code], [404, 'not_found'])
  })

test('a folder to which mail comes again and again is not emptied for ever', async (t) => {
  const at = await box()
  await fill(at, 'Full', 'one')
  const gone = Array.from({ length: 500 }, (_, number) => ({ uid: 1_000 + number }))
  const looks = answering(t, at.organization.world.db, 'order by uid limit', async () => ({ rows: gone }))
  const { status, body } = await ask(at, 'DELETE', 'Full', { move_to: 'archive' })
  assert.deepEqual([status, body.error.field, looks.count()], [400, 'move_to', 11])
})

test('the mail of a deleted folder goes neither to itself, nor within it, nor to what is no folder', async () => {
  const at = await box()
  await fill(at, 'Full', 'one')
  for (const move_to of ['Full', 'Full/within', 'a*']) {
    const { status, body } = await ask(at, 'DELETE', 'Full', { move_to })
    assert.deepEqual([status, body.error.field], [400, 'move_to'])
  }
  assert.deepEqual(await names(at), ['Full'])
})

test('a folder with others within it is not deleted', async () => {
  const at = await box()
  for (const name of ['A', 'A/b', 'AB']) await make(at, name)
  const { status, body } = await ask(at, 'DELETE', 'A')
  assert.deepEqual([status, body.error.field], [400, 'path'])
  for (const name of ['A/b', 'A']) assert.equal((await ask(at, 'DELETE', name)).status, 200)
  assert.deepEqual(await names(at), ['AB'])
})
