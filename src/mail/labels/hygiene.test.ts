import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { claimRunning } from '#/mail/changes/queries.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { addFilter } from '#/rules/filters/changes.ts'
import { filtersOf } from '#/rules/filters/queries.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { meanwhile } from '#test/world/observe/meanwhile.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

interface Box {
  readonly mailbox: MailboxRef
  readonly address: string
}

/** A mailbox with messages 1 to 3 in its inbox, the last of them read. */
async function newBox(organization: TestOrganization): Promise<Box> {
  const { id: mailboxId, address } = await organization.mailbox(`box-${randomUUID().slice(0, 8)}`)
  const mailbox = { organizationId: organization.id, mailboxId }
  const messages = [0, 1, 2].map((number) => {
    return { seen: number === 2, receivedAt: Date.UTC(2026, 10, 21, 7, number), sender: 'ann@x.test', headers: '' }
  })
  await storeMessages(world, mailbox, messages)
  return { mailbox, address }
}

async function newLabel(organization: TestOrganization, name: string) {
  return await organization.bodyOf(201, 'POST', '/v1/labels', { name })
}

const bear = ({ mailbox }: Box, uids: number[], ...addKeywords: string[]) =>
  updateMessages(world.db, mailbox, 'inbox', uids, { addKeywords })

async function keywordsOf({ mailbox }: Box): Promise<(readonly string[])[]> {
  return (await readSummaries(world.db, mailbox, 'inbox', [1, 2, 3])).map(({ keywords }) => keywords)
}

const orphansOf = async (organization: TestOrganization, key = organization.key) =>
  (await organization.request('GET', '/v1/orphan-labels', undefined, { key })).body.data

test('labels are counted where that is asked, in the mailboxes that the caller reads', async () => {
  const organization = await world.organization()
  const [one, other] = [await newBox(organization), await newBox(organization)]
  for (const name of ['Work', 'Idle']) await newLabel(organization, name)
  await bear(one, [1, 3], 'work')
  await bear(other, [1], 'work')
  const countsFor = async (query: string, key = organization.key) => {
    const { body } = await organization.request('GET', `/v1/labels?${query}`, undefined, { key })
    return body.data.map(({ keyword, messages, unread }: Record<string, unknown>) => [keyword, messages, unread])
  }
  const idle = ['idle', 0, 0]
  assert.deepEqual(await countsFor('counts=true'), [['work', 3, 2], idle])
  assert.deepEqual(await countsFor(`counts=true&mailbox=${other.address}`), [['work', 1, 1], idle])
  const restricted = await organization.restrictedKey({ mailbox_ids: [one.mailbox.mailboxId] })
  assert.deepEqual(await countsFor('counts=true', restricted), [['work', 2, 1], idle])
  assert.deepEqual(await countsFor('counts=false'), [
    ['work', undefined, undefined],
    ['idle', undefined, undefined],
  ])
  const { id } = (await organization.request('GET', '/v1/labels')).body.data[0]
  for (const [query, key, messages, unread] of [
    [`?counts=true&mailbox=${other.address}`, organization.key, 1, 1],
    ['?counts=true', restricted, 2, 1],
    ['', organization.key, undefined, undefined],
  ] as const) {
    const one = await organization.bodyOf(200, 'GET', `/v1/labels/${id}${query}`, undefined, { key })
    assert.deepEqual([one.keyword, one.messages, one.unread], ['work', messages, unread])
  }
  for (const path of ['/v1/labels', `/v1/labels/${id}`]) {
    const { status, body } = await organization.request('GET', `${path}?mailbox=${one.address}`)
    assert.deepEqual([status, body.error.field], [400, 'mailbox'])
  }
})

test('orphans are keywords of deleted labels and of mail programs, and none of members or with a meaning', async () => {
  const organization = await world.organization()
  const box = await newBox(organization)
  const gone = await newLabel(organization, 'Gone')
  await newLabel(organization, 'Work')
  await organization.labelOfMember('Mine')
  await bear(box, [1, 3], 'gone', 'work', 'mine', 'stray', 'junk', '$mdnsent', '$label6', '$Label1')
  await organization.request('DELETE', `/v1/labels/${gone.id}`)
  assert.deepEqual(await orphansOf(organization), [
    { keyword: '$label1', messages: 2, unread: 1, suggested: { name: 'Important', colour: '#ff0000' } },
    { keyword: 'gone', messages: 2, unread: 1, suggested: null },
    { keyword: 'stray', messages: 2, unread: 1, suggested: null },
  ])
  const restricted = await organization.restrictedKey({ mailbox_ids: [randomUUID()] })
  assert.deepEqual(await orphansOf(organization, restricted), [])
})

test('an orphan is adopted by a label of any name, once, and nothing else is', async () => {
  const organization = await world.organization()
  const box = await newBox(organization)
  const gone = await newLabel(organization, 'Gone')
  await bear(box, [1], 'gone', 'stray', '$label4')
  await organization.request('DELETE', `/v1/labels/${gone.id}`)
  const unused = await newLabel(organization, 'Unused')
  await organization.request('DELETE', `/v1/labels/${unused.id}`)
  const adopt = (name: string, keyword: string) => organization.request('POST', '/v1/orphan-labels', { name, keyword })
  assert.equal((await adopt('Back', 'GONE')).body.keyword, 'gone')
  assert.equal((await adopt('From elsewhere', 'stray')).body.keyword, 'stray')
  assert.equal((await adopt('To Do', '$Label4')).body.keyword, '$label4')
  assert.deepEqual(await orphansOf(organization), [])
  const place = `mailbox=${box.address}&folder=inbox`
  const changed = await organization.request('PATCH', `/v1/messages/2?${place}`, { add_labels: ['$label4'] })
  assert.deepEqual(changed.body.labels, ['$label4'])
  const found = await organization.request('GET', `/v1/search?q=${encodeURIComponent('label:$label4')}`)
  assert.equal(found.body.data.length, 2)
  assert.equal((await newLabel(organization, 'Gone')).keyword, 'gone-2')
  for (const keyword of ['gone', 'unused', 'chosen', 'junk', '$mdnsent', 'a b', '\\seen']) {
    const { status, body } = await adopt('Other', keyword)
    assert.deepEqual([status, body.error.field], [400, 'keyword'], keyword)
  }
})

test('a label is taken from all messages that the caller may change, and that can be undone', async () => {
  const organization = await world.organization()
  const [one, other] = [await newBox(organization), await newBox(organization)]
  const work = await newLabel(organization, 'Work')
  await bear(one, [1, 2], 'work', 'stray')
  await bear(other, [3], 'work')
  const answer = (await organization.request('DELETE', `/v1/labels/${work.id}?from_messages=true`)).body
  assert.deepEqual(answer, { deleted: true, id: work.id, change_id: answer.change_id })
  assert.deepEqual(await keywordsOf(one), [['stray'], ['stray'], []])
  assert.deepEqual(await keywordsOf(other), [[], [], []])
  const { body } = await organization.request('GET', `/v1/changes/${answer.change_id}`)
  assert.deepEqual([body.kind, body.state, body.messages], ['label_removed', 'done', 3])
  assert.equal((await organization.request('POST', `/v1/changes/${answer.change_id}/undo`)).body.messages, 3)
  assert.deepEqual(await keywordsOf(one), [['stray', 'work'], ['stray', 'work'], []])
  assert.deepEqual(await keywordsOf(other), [[], [], ['work']])
})

test('an orphan is taken from all messages that the caller may change; a label is not, nor what is a member’s', async () => {
  const organization = await world.organization()
  const [one, other] = [await newBox(organization), await newBox(organization)]
  await bear(one, [1], 'stray')
  await bear(other, [1], 'stray')
  await newLabel(organization, 'Work')
  assert.equal((await organization.request('DELETE', '/v1/orphan-labels/work')).status, 404)
  const key = await organization.restrictedKey({ mailbox_ids: [one.mailbox.mailboxId] })
  const path = '/v1/orphan-labels/stray'
  assert.equal((await organization.request('DELETE', path, undefined, { key })).status, 200)
  assert.deepEqual([(await keywordsOf(one))[0], (await keywordsOf(other))[0]], [[], ['stray']])
  const member = await signIn(organization, (await organization.member(`${randomUUID()}@people.example`, 'owner')).id)
  assert.equal((await member.request('DELETE', path)).body.change_id, null)
})

test('what a process left of it is done by another', async () => {
  const organization = await world.organization()
  const box = await newBox(organization)
  await bear(box, [1], 'stray')
  const { change_id } = (await organization.request('DELETE', '/v1/orphan-labels/stray')).body
  await bear(box, [2], 'stray')
  await world.db.updateTable('changes').set({ state: 'running' }).where('id', '=', change_id).execute()
  await world.runningChanges.processAll()
  assert.deepEqual(await keywordsOf(box), [[], [], []])
  const { body } = await organization.request('GET', `/v1/changes/${change_id}`)
  assert.deepEqual([body.state, body.messages], ['done', 2])
})

test('of two labels that are merged one stays: filters set it, messages bear it, and that can be undone', async () => {
  const organization = await world.organization()
  const box = await newBox(organization)
  const bills = await newLabel(organization, 'Bills')
  const invoices = await newLabel(organization, 'Invoices')
  await bear(box, [1, 2], 'bills')
  await bear(box, [2], 'invoices')
  const member = await organization.member(`${randomUUID()}@people.example`)
  const from = { name: 'f', field: 'from', op: 'is', value: 'a@b.example', enabled: true } as const
  const fields = { ...from, action: 'label', argument: 'Bills' } as const
  for (const memberId of [null, member.id]) {
    const owner = { organizationId: organization.id, memberId }
    await world.db.transaction().execute((tx) => addFilter(tx, owner, fields, byOperator))
  }
  const merged = await organization.request('POST', `/v1/labels/${bills.id}/merge`, { into: invoices.id })
  assert.equal(merged.status, 200)
  assert.deepEqual(merged.body, { label: invoices, filters: 1, change_id: merged.body.change_id })
  const [own] = await filtersOf(world.db, { organizationId: organization.id, memberId: member.id })
  assert.equal(own?.argument, 'invoices')
  await world.runningChanges.processAll()
  const change = async () => (await organization.request('GET', `/v1/changes/${merged.body.change_id}`)).body
  await onceWritten(async () => (await change()).state === 'done')
  assert.deepEqual(await keywordsOf(box), [['invoices'], ['invoices'], []])
  const { data } = (await organization.request('GET', '/v1/filters')).body
  assert.deepEqual([data[0].argument, data[0].broken], ['invoices', null])
  assert.deepEqual((await organization.request('GET', '/v1/labels')).body.data, [invoices])
  await organization.request('POST', `/v1/changes/${merged.body.change_id}/undo`)
  assert.deepEqual(await keywordsOf(box), [['bills'], ['bills', 'invoices'], []])
})

test('a merge waits for an earlier one into its label, and replaces the keyword on those messages too', async () => {
  const organization = await world.organization()
  const box = await newBox(organization)
  const bills = await newLabel(organization, 'Bills')
  const invoices = await newLabel(organization, 'Invoices')
  const papers = await newLabel(organization, 'Papers')
  const merge = async (from: { id: string }, into: { id: string }): Promise<string> =>
    (await organization.request('POST', `/v1/labels/${from.id}/merge`, { into: into.id })).body.change_id
  const [earlier, later] = [await merge(bills, invoices), await merge(invoices, papers)]
  const done = async (id: string) => (await organization.request('GET', `/v1/changes/${id}`)).body.state === 'done'
  await onceWritten(async () => (await done(earlier)) && (await done(later)))
  await bear(box, [1], 'bills')
  await world.db.updateTable('changes').set({ state: 'running' }).where('id', 'in', [earlier, later]).execute()
  assert.equal(await claimRunning(world.db, later), undefined)
  await world.runningChanges.processAll()
  assert.deepEqual(await keywordsOf(box), [['papers'], [], []])
})

test('a keyword is taken from a message that moves meanwhile to a folder that was done', async (t) => {
  const organization = await world.organization()
  const box = await newBox(organization)
  await bear(box, [1, 2], 'stray')
  await updateMessages(world.db, box.mailbox, 'inbox', [2], { folder: 'Projects' })
  meanwhile(t, world.db, 'from mail_keywords where folder_id', {
    after: () => updateMessages(world.db, box.mailbox, 'Projects', [1], { folder: 'inbox' }),
  })
  const { body } = await organization.request('DELETE', '/v1/orphan-labels/stray')
  assert.deepEqual(await orphansOf(organization), [])
  assert.equal((await organization.request('GET', `/v1/changes/${body.change_id}`)).body.messages, 2)
})

test('a label is merged neither into itself nor into none', async () => {
  const organization = await world.organization()
  const { id } = await newLabel(organization, 'Work')
  for (const [path, into, status] of [
    [id, id, 400],
    [id, randomUUID(), 400],
    [randomUUID(), id, 404],
  ])
    assert.equal((await organization.request('POST', `/v1/labels/${path}/merge`, { into })).status, status)
})
