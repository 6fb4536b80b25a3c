import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readMessage } from '#/formats/mime/read-message.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { removeFolder } from '#/mail/store/make-folder.ts'
import { each } from '#test/world/each.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import type { Sample } from './run-folder.ts'

const world = await World.ofFile()

interface Letter {
  readonly from?: string
  readonly to?: string
  readonly cc?: string
  readonly subject?: string
}

/** An organization with a mailbox that has these letters in its inbox. */
async function withMail(letters: readonly Letter[]): Promise<{ organization: TestOrganization; address: string }> {
  const { organization, address } = await world.mailbox('ada')
  await deliver(address, letters)
  return { organization, address }
}

async function deliver(address: string, letters: readonly Letter[]): Promise<void> {
  for (const letter of letters) {
    const whole = { from: 'ann@far.example', to: address, subject: 'Hello', text: 'Hi', ...letter }
    await world.send({ ...whole, envelope: { from: 'peer@far.example', to: address } })
  }
}

const invoices = [
  { subject: 'Invoice 1' },
  { subject: 'Hello' },
  { from: 'Bob Invoice <bob@far.example>', subject: 'Größe № 3' },
]

async function made(organization: TestOrganization, path: string, body: object) {
  return await organization.bodyOf(201, 'POST', path, body)
}

function filter(organization: TestOrganization, fields: object) {
  const plain = { name: 'A filter', field: 'subject', op: 'contains', value: 'invoice' }
  return made(organization, '/v1/filters', { ...plain, ...fields })
}

/** Begins a run and has it done. */
async function run(organization: TestOrganization, body: object = {}, path = '/v1/filters/runs') {
  const { id } = await made(organization, path, body)
  await world.filterRunner.processAll()
  return shown(organization, id)
}

async function shown(organization: TestOrganization, id: string) {
  return await organization.bodyOf(200, 'GET', `/v1/filter-runs/${id}`)
}

async function messages(organization: TestOrganization, address: string, folder = 'inbox') {
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${address}&folder=${folder}`)
  return (body.data ?? []).map(({ subject, unread, starred, labels }: Record<string, unknown>) => {
    return { subject, unread, starred, labels }
  })
}

async function events(organization: TestOrganization) {
  const { rows } = await world.database.pool.query(
    `select data, actor_kind from events where organization_id = $1 and type = 'message.changed' order by id`,
    [organization.id],
  )
  return rows
}

describe('all filters', () => {
  test('act in order on each message, as they do on arrival', async () => {
    const { organization, address } = await withMail(invoices)
    await made(organization, '/v1/labels', { name: 'Money' })
    await filter(organization, { action: 'move', argument: 'Second', position: 20 })
    await filter(organization, { action: 'move', argument: 'First', position: 10 })
    await filter(organization, { action: 'label', argument: 'money' })
    await filter(organization, { value: 'GRÖSSE No 3', action: 'read' })
    await filter(organization, { action: 'star', enabled: false })
    const done = await run(organization)
    assert.partialDeepStrictEqual(done, {
      ...{ filter_id: null, matched: 2, changed: 2, moved: 1, labelled: 1, starred: 0, read: 1 },
      filters: [
        { argument: 'First', matched: 1, applied: 1 },
        { argument: 'Second', matched: 1, applied: 0 },
        { argument: 'money', matched: 1, applied: 1 },
        { action: 'read', matched: 1, applied: 1 },
      ],
    })
    assert.deepEqual(await messages(organization, address, 'First'), [
      { subject: 'Invoice 1', unread: true, starred: false, labels: ['money'] },
    ])
    assert.deepEqual(await messages(organization, address), [
      { subject: 'Größe № 3', unread: false, starred: false, labels: [] },
      { subject: 'Hello', unread: true, starred: false, labels: [] },
    ])
    assert.deepEqual(new Set(each(await events(organization), 'actor_kind')), new Set(['key']))
    assert.deepEqual(await run(organization).then(({ changed }) => changed), 0)
  })

  test('see the header of a large message', async () => {
    const { organization, address } = await withMail([])
    const to = Array.from({ length: 300 }, (_, n) => `Person Number ${n} <reader${n}@people.example>`).join(', ')
    const attachments = [{ filename: 'a.bin', content: Buffer.alloc(2 ** 20, 'large') }]
    const envelope = { from: 'a@b.example', to: address }
    await world.send({ from: 'ann@far.example', to, text: 'Hi', attachments, envelope })
    await filter(organization, { field: 'to', op: 'is', value: 'reader299@people.example', action: 'star' })
    assert.equal((await run(organization)).starred, 1)
  })
})

describe('what a run goes through', () => {
  test('a message that it moves into another of its folders is not looked at again', async () => {
    const { organization, address } = await withMail(invoices)
    await filter(organization, { action: 'move', argument: 'Bills' })
    await organization.request('POST', `/v1/folders?mailbox=${address}`, { name: 'Bills' })
    const { total, seen, matched, moved } = await run(organization, { folders: ['inbox', 'Bills'] })
    assert.deepEqual({ total, seen, matched, moved }, { total: 3, seen: 3, matched: 1, moved: 1 })
  })

  test('more messages than a step has, with several changes in each', async () => {
    const { organization, address } = await withMail([])
    const [{ id: mailboxId }] = (await organization.request('GET', '/v1/mailboxes')).body.data
    const letters = Array.from(
      { length: 700 },
      (_, n) => `From: p${n % 7}@far.example\r\nSubject: Letter ${n % 3}\r\n\r\nHi`,
    )
    await world.store(
      letters.map((raw) => ({
        ...{ mailbox: { organizationId: organization.id, mailboxId }, folder: 'inbox', receivedAt: new Date() },
        ...{ message: readMessage(Buffer.from(raw)), seen: false, flagged: false, keywords: [], filteredBy: [] },
      })),
    )
    await filter(organization, { value: 'letter 1', action: 'star' })
    await filter(organization, { field: 'from', value: 'p3@', action: 'read' })
    await filter(organization, { value: 'letter 2', action: 'move', argument: 'archive' })
    const done = await run(organization)
    const count = (is: (n: number) => boolean) => letters.filter((_, n) => is(n)).length
    assert.partialDeepStrictEqual(done, {
      ...{ state: 'done', total: 700, seen: 700, changed: count((n) => n % 3 > 0 || n % 7 === 3) },
      ...{ starred: count((n) => n % 3 === 1), read: count((n) => n % 7 === 3), moved: count((n) => n % 3 === 2) },
    })
    const { body } = await organization.request('GET', `/v1/folders/archive?mailbox=${address}`)
    assert.equal(body.total, done.moved)
    assert.equal((await events(organization)).length, done.changed)
  })

  test('mail that comes after its beginning is left to the filters of arriving mail', async () => {
    const { organization, address } = await withMail(invoices)
    const { id } = await filter(organization, { action: 'star', enabled: false })
    const { id: runId } = await made(organization, `/v1/filters/${id}/runs`, {})
    await world.filterRunner.processSome(1)
    await deliver(address, [{ subject: 'Invoice 2' }])
    await world.filterRunner.processAll()
    const { total, seen, starred } = await shown(organization, runId)
    assert.deepEqual({ total, seen, starred }, { total: 3, seen: 3, starred: 1 })
  })

  test('a mailbox that is named, and no other', async () => {
    const { organization, address } = await withMail(invoices)
    const other = await organization.mailbox('bea')
    await deliver(other.address, invoices)
    await filter(organization, { action: 'star' })
    const done = await run(organization, { mailboxes: [other.address] })
    assert.deepEqual([done.mailboxes, done.total, done.starred], [[other.address], 3, 1])
    assert.ok((await messages(organization, address)).every(({ starred }: { starred: boolean }) => !starred))
    assert.equal((await run(organization)).starred, 1)
  })

  test('folders that a mailbox lacks, and mailboxes that are deleted meanwhile, have nothing', async () => {
    const { organization } = await withMail(invoices)
    await filter(organization, { action: 'star' })
    const lacking = await run(organization, { folders: ['Nowhere'] })
    assert.partialDeepStrictEqual(lacking, { state: 'done', total: 0, seen: 0 })
    const { id } = await made(organization, '/v1/filters/runs', {})
    await world.db.deleteFrom('mailboxes').where('organization_id', '=', organization.id).execute()
    await world.filterRunner.processAll()
    assert.partialDeepStrictEqual(await shown(organization, id), { state: 'done', last_error: null, seen: 0 })
  })

  for (const again of [false, true])
    test(`a folder that is removed${again ? ', and another of its name,' : ''} after it was looked at has nothing`, async () => {
      const { organization } = await withMail([])
      const [{ id: mailboxId }] = (await organization.request('GET', '/v1/mailboxes')).body.data
      const mailbox = { organizationId: organization.id, mailboxId }
      const message = readMessage(Buffer.from('Subject: Invoice\r\n\r\nHi'))
      const kept = { receivedAt: new Date(), seen: false, flagged: false, keywords: [], filteredBy: [] }
      const append = () => world.store([{ mailbox, folder: 'Bills', message, ...kept }])
      await append()
      await filter(organization, { action: 'star' })
      const { id } = await made(organization, '/v1/filters/runs', { folders: ['Bills'] })
      await world.filterRunner.processSome(1)
      await expungeMessages(world.db, mailbox, 'Bills', [1])
      assert.ok(await removeFolder(world.db, mailbox, 'Bills'))
      if (again) await append()
      await world.filterRunner.processAll()
      const after = await shown(organization, id)
      assert.partialDeepStrictEqual(after, { state: 'done', last_error: null, total: 1, seen: 0, starred: 0 })
    })
})

describe('the filters of a run', () => {
  test('are those of its beginning', async () => {
    const { organization } = await withMail(invoices)
    const { id } = await filter(organization, { action: 'star' })
    const begun = await made(organization, '/v1/filters/runs', {})
    await organization.request('PATCH', `/v1/filters/${id}`, { value: 'hello', action: 'read' })
    await world.filterRunner.processAll()
    assert.partialDeepStrictEqual(await shown(organization, begun.id), { starred: 1, read: 0 })
  })

  test('do nothing for a label that is deleted meanwhile', async () => {
    const { organization } = await withMail(invoices)
    const label = await made(organization, '/v1/labels', { name: 'Money' })
    await filter(organization, { action: 'label', argument: 'money' })
    const begun = await made(organization, '/v1/filters/runs', {})
    await organization.request('DELETE', `/v1/labels/${label.id}`)
    await world.filterRunner.processAll()
    const { matched, changed, filters } = await shown(organization, begun.id)
    assert.deepEqual([matched, changed, filters[0].applied], [1, 0, 0])
  })

  test('may be disabled where one is named', async () => {
    const { organization } = await withMail(invoices)
    const { id } = await filter(organization, { action: 'star', enabled: false })
    assert.equal((await run(organization, {}, `/v1/filters/${id}/runs`)).starred, 1)
  })
})

describe('a preview', () => {
  test('changes nothing, and says what a run would do and why', async () => {
    const { organization, address } = await withMail(invoices)
    await filter(organization, { action: 'move', argument: 'Bills' })
    await filter(organization, { action: 'star', field: 'from' })
    const before = await messages(organization, address)
    const done = await run(organization, { preview: true })
    assert.partialDeepStrictEqual(done, { preview: true, state: 'done', matched: 2, changed: 2, moved: 1, starred: 1 })
    const result = { labels: [], unread: true }
    assert.deepEqual(
      done.sample.map(({ subject, matches, result }: Sample) => [subject, matches[0]?.matched_text, result]),
      [
        ['Invoice 1', 'Invoice 1', { ...result, folder: 'Bills', starred: false }],
        ['Größe № 3', 'Bob Invoice', { ...result, folder: 'inbox', starred: true }],
      ],
    )
    const shown = await organization.bodyOf(200, 'GET', `/v1/messages?ids=${each(done.sample, 'id')}`)
    assert.deepEqual(each(shown.data, 'subject').toSorted(), each(done.sample, 'subject').toSorted())
    assert.deepEqual(await messages(organization, address), before)
    assert.deepEqual(await events(organization), [])
  })
})

test('a run can be undone once it has ended', async () => {
  const { organization, address } = await withMail(invoices)
  await made(organization, '/v1/labels', { name: 'Money' })
  const before = await messages(organization, address)
  await filter(organization, { action: 'label', argument: 'money' })
  await filter(organization, { field: 'from', action: 'move', argument: 'Bills' })
  const { id } = await made(organization, '/v1/filters/runs', {})
  await world.filterRunner.processSome(2)
  const undo = async () => {
    const { body } = await organization.request('GET', `/v1/filter-runs/${id}`)
    return organization.request('POST', `/v1/changes/${body.change_id}/undo`)
  }
  assert.equal((await undo()).status, 409)
  await world.filterRunner.processAll()
  assert.equal((await undo()).status, 201)
  assert.deepEqual(await messages(organization, address), before)
  assert.equal((await run(organization, { preview: true })).change_id, null)
})

test('a run that is cancelled changes nothing more', async () => {
  const { organization } = await withMail(invoices)
  await filter(organization, { action: 'star' })
  const { id } = await made(organization, '/v1/filters/runs', {})
  const { status, body } = await organization.request('POST', `/v1/filter-runs/${id}/cancel`)
  assert.deepEqual([status, body.state], [200, 'cancelled'])
  await world.filterRunner.processAll()
  const after = await shown(organization, id)
  assert.deepEqual([after.state, after.changed, typeof after.finished_at], ['cancelled', 0, 'string'])
  const again = await organization.request('POST', `/v1/filter-runs/${id}/cancel`)
  assert.deepEqual(again.body, after)
})

describe('it is refused', () => {
  test('for a folder that none can be called by, without a filter, and with one whose label is deleted', async () => {
    const { organization } = await withMail([])
    await organization.bodyOf(400, 'POST', '/v1/filters/runs', {})
    const label = await made(organization, '/v1/labels', { name: 'Money' })
    const { id } = await filter(organization, { action: 'label', argument: 'money' })
    const { error } = await organization.bodyOf(400, 'POST', '/v1/filters/runs', { folders: ['inbox', 'a//b'] })
    assert.equal(error.field, 'folders[1]')
    await organization.request('DELETE', `/v1/labels/${label.id}`)
    await organization.bodyOf(400, 'POST', `/v1/filters/${id}/runs`, {})
  })

  test('while ten others are under way', async () => {
    const { organization } = await withMail([])
    await filter(organization, { action: 'star' })
    for (let count = 0; count < 10; count++) await made(organization, '/v1/filters/runs', {})
    assert.equal((await organization.request('POST', '/v1/filters/runs', {})).status, 400)
    await world.filterRunner.processAll()
    await made(organization, '/v1/filters/runs', {})
    await world.filterRunner.processAll()
  })

  test('of mail that a key does not see, also in the list', async () => {
    const { organization } = await withMail(invoices)
    const other = await organization.mailbox('bea')
    await filter(organization, { action: 'star' })
    const key = await organization.restrictedKey({ mailbox_ids: [other.id] })
    await run(organization)
    const own = await organization.bodyOf(201, 'POST', '/v1/filters/runs', {}, { key })
    await world.filterRunner.processAll()
    const { data } = await organization.bodyOf(200, 'GET', '/v1/filter-runs', undefined, { key })
    assert.deepEqual([each(data, 'id'), data[0].total], [[own.id], 0])
  })
})

test('of a mailbox that is deleted a run shows no message, and to nobody who might not read it', async () => {
  const { organization, address } = await withMail(invoices)
  const other = await organization.mailbox('bea')
  await deliver(other.address, invoices)
  await filter(organization, { action: 'star' })
  const both = await run(organization, { preview: true })
  const one = await run(organization, { preview: true, mailboxes: [address] })
  const key = await organization.restrictedKey({ mailbox_ids: [other.id] })
  await world.db.deleteFrom('mailboxes').where('address', '=', address).execute()
  const seen = (id: string) => organization.request('GET', `/v1/filter-runs/${id}`, undefined, { key })
  assert.deepEqual(each((await seen(both.id)).body.sample, 'mailbox'), [other.address])
  assert.equal((await seen(one.id)).status, 404)
  assert.deepEqual((await shown(organization, one.id)).sample, [])
})
