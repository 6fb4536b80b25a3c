import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { organizationItself } from '#/base/ownership/owner.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { deleteOrganization } from '#/people/organizations/queries.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { addPersonalItems } from '#test/world/organization/personal-items.ts'
import { World } from '#test/world/world.ts'
import { type Furnished, furnished, label, now, readEvents } from './furnished.ts'

const world = await World.ofFile()

test('mail that arrives, is changed, moved and deleted has events in that order, with place and actor', async () => {
  const one = await furnished(world)
  const { organization, address } = one
  const { keyword } = (await label(one, 'Receipts')).body
  const start = await now(world, one)
  await world.send({ from: 'Ann <ann@there.example>', to: address, subject: 'Notes', text: 'Hello' })
  const change = async (body: object) =>
    assert.equal(
      (await organization.request('PATCH', `/v1/messages?mailbox=${address}`, { uids: [1], ...body })).status,
      200,
    )
  const { id, conversation_id } = await organization.bodyOf(200, 'GET', `/v1/messages/1?mailbox=${address}`)
  assert.ok(conversation_id)
  const written = { conversation_id, subject: 'Notes', from: { name: 'Ann', address: 'ann@there.example' } }
  await change({ starred: true, unread: true, add_labels: [keyword] })
  await change({ starred: true })
  await change({ folder: 'archive', unread: false, remove_labels: [keyword] })
  const data = await readEvents(one, 3, `?after=${start}`)
  assert.deepEqual(
    data.map(({ id: _id, at, by, ...event }) => ({ ...event, by: by.kind })),
    [
      {
        type: 'message.received',
        mailbox: address,
        by: 'service',
        message: { id, folder: 'inbox', uid: 1, ...written },
      },
      {
        type: 'message.changed',
        mailbox: address,
        by: 'key',
        message: { id, folder: 'inbox', uid: 1, starred: true, added_labels: [keyword], ...written },
      },
      {
        type: 'message.changed',
        mailbox: address,
        by: 'key',
        message: {
          ...{ id, folder: 'archive', uid: 1, moved_from: { id, folder: 'inbox', uid: 1 }, unread: false },
          ...{ removed_labels: [keyword], ...written },
        },
      },
    ],
  )
  const { id: mailboxId } = one
  const mailbox = { organizationId: organization.id, mailboxId }
  assert.deepEqual(await expungeMessages(world.db, mailbox, 'archive', [1, 2]), [1])
  const deleted = await readEvents(one, 1, `?after=${data.at(-1).id}`)
  assert.deepEqual(deleted[0].message, {
    ...{ id, folder: 'archive', uid: 1, conversation_id: null, subject: null, from: null },
  })
  assert.deepEqual(
    [deleted.length, deleted[0].type, deleted[0].by],
    [1, 'message.deleted', { kind: 'service', id: null, name: '' }],
  )
})

test('a mailbox has events when it is created, changed and deleted; its deleted mail has none', async () => {
  const one = await furnished(world)
  await world.send({ from: 'ann@there.example', to: one.address, subject: 'Notes', text: 'Hello' })
  await printed(operatorOn(world), 'mailbox', 'delete', one.address)
  const data = await readEvents(one, 4)
  assert.deepEqual(
    data.map(({ type, mailbox, by }: { type: string; mailbox: string; by: { kind: string } }) => [
      type,
      mailbox,
      by.kind,
    ]),
    [
      ['mailbox.created', null, 'operator'],
      ['message.received', null, 'service'],
      ['mailbox.changed', null, 'operator'],
      ['mailbox.deleted', null, 'operator'],
    ],
  )
  assert.deepEqual(data.at(-1).item, { id: one.id, name: one.address })
})

test('each change of a mailbox is one event mailbox.changed', async () => {
  const { organization, address } = await furnished(world)
  const start = await now(world, { organization })
  const member = `eve@${organization.domain}`
  await organization.member(member)
  const commands = [
    ['suspend', address],
    ['resume', address],
    ['password', address],
    ['alias', 'add', address, `info@${organization.domain}`],
    ['alias', 'remove', `info@${organization.domain}`],
    ['share', address, '--member', member],
    ['unshare', address, '--member', member],
  ]
  for (const command of commands) await printed(operatorOn(world), 'mailbox', ...command)
  const data = await readEvents({ organization }, commands.length, `?after=${start}&types=mailbox`)
  const shown = data.map(({ type, mailbox, by }) => [type, mailbox, by.kind])
  assert.deepEqual(
    shown,
    commands.map(() => ['mailbox.changed', address, 'operator']),
  )
})

test('what is rolled back, or is a member’s own, has no event', async () => {
  const one = await furnished(world)
  const member = await signIn(one.organization, (await one.organization.member('eve@people.example')).id)
  const start = await now(world, one)
  await addPersonalItems(member)
  const owner = organizationItself(one.organization.id)
  const failing = world.db.transaction().execute(async (tx) => {
    await addLabel(tx, owner, { name: 'Work', colour: 'red' }, byOperator)
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  await label(one, 'Seen')
  const data = await readEvents(one, 1, `?after=${start}`)
  assert.deepEqual(
    data.map(({ item }: { item: { name: string } }) => item.name),
    ['Seen'],
  )
})

test('an organization’s events go with it', async () => {
  const [gone, stays] = [await furnished(world), await furnished(world)]
  await world.db.transaction().execute((tx) => deleteOrganization(tx, gone.organization.id))
  const left = async ({ organization: { id } }: Furnished) =>
    (await world.db.selectFrom('events').select('id').where('organization_id', '=', id).execute()).length
  // One for the mailbox, and two that tell pages alone: of the organization and of its key.
  assert.deepEqual([await left(gone), await left(stays)], [0, 3])
})
