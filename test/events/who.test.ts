import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendEvents, type NewEvent } from '#/base/event-log/append.ts'
import { type EventType, eventTypes, type Subject, subjectOf } from '#/base/event-log/types.ts'
import { type Scope, scopes } from '#/http/access/scopes.ts'
import { World } from '#test/world/world.ts'
import { now } from './furnished.ts'
import { untilReadable } from './logged.ts'

const world = await World.ofFile()

/** An organization in whose log an event of each type is, about a mailbox and about none. */
async function logged(types: readonly EventType[]) {
  const organization = await world.organization()
  const mailbox = await organization.mailbox('ada')
  const start = await now(world, { organization })
  const appended = types.flatMap((type) =>
    [mailbox.id, null].map((mailboxId) => ({ type, mailboxId, data: dataAbout(subjectOf(type), mailbox.id) })),
  )
  const by = { kind: 'member', id: mailbox.id, name: 'bob@there.example' } as const
  await world.db.transaction().execute((tx) =>
    appendEvents(
      tx,
      appended.map((one) => ({ ...one, organizationId: organization.id })),
      by,
    ),
  )
  await untilReadable(world.db)
  const heard = async (key: string) => {
    const path = `/v1/events?after=${start}&limit=500`
    const body = await organization.bodyOf(200, 'GET', path, undefined, { key })
    return body.data as { type: EventType; mailbox: string | null; by: object }[]
  }
  return { organization, mailbox, by, heard }
}

/** What is logged of an event. */
function dataAbout(subject: Subject, id: string): NewEvent['data'] {
  switch (subject) {
    case 'message':
      return { id: 1, folder: 'inbox', uid: 7 }
    case 'sending':
      return { sent: id }
    case 'refusal':
      return { sender: 'bad@there.example', recipient: 'ada@here.example', because: 'blocked' }
    case 'quota':
      return { quota: 'sending', percent: 80, used: 80, limit: 100 }
    case 'item':
      return { id, name: 'ada' }
  }
}

/** The scope that events of each noun need (docs/reference/events.md). */
const needed: Readonly<Record<string, Scope>> = {
  message: 'messages:read',
  scheduled: 'scheduled:read',
  auto_reply: 'forwarding:read',
  label: 'labels:read',
  filter: 'filters:read',
  block: 'filters:read',
  mailbox: 'mailboxes:read',
  forwarding: 'forwarding:read',
  webhook: 'webhooks:read',
  quota: 'usage:read',
  'approval.created': 'sending:approve',
  'approval.changed': 'sending:draft',
}
const scopeFor = (type: EventType) => needed[type] ?? needed[type.split('.')[0] ?? '']

test('a key gets the types whose scope it has, and no other, with the actor', async () => {
  const { organization, heard, by } = await logged(eventTypes)
  for (const scope of scopes.filter((one) => one !== 'events:read')) {
    const events = await heard(await organization.newKey('events:read', scope))
    const types = [...new Set(events.map(({ type }) => type))].sort()
    assert.deepEqual(types, eventTypes.filter((type) => scopeFor(type) === scope).sort(), scope)
    for (const event of events) assert.deepEqual(event.by, by)
  }
})

test('a key that is restricted to a mailbox does not hear what is of all, nor of webhooks of others', async () => {
  const { organization, mailbox, heard } = await logged(eventTypes)
  const events = await heard(await organization.restrictedKey({ mailbox_ids: [mailbox.id] }))
  const about = events.filter((one) => one.mailbox === mailbox.address).map(({ type }) => type)
  const ofNone = events.filter((one) => one.mailbox === null).map(({ type }) => type)
  assert.deepEqual(about.sort(), [...eventTypes].sort())
  for (const type of ['webhook.paused', 'message.refused', 'quota.reached'] as const)
    assert.ok(!ofNone.includes(type), type)
  assert.ok(ofNone.includes('label.created'))
})
