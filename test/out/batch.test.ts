import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, sentMail } = await sendingWorld()

async function sender(plan = 'self_hosted') {
  const { organization, address, id } = await world.mailbox('ada', { plan })
  return { organization, ada: address, id }
}

interface Options {
  readonly key?: string
  readonly headers?: Record<string, string>
}

function batch(organization: TestOrganization, messages: readonly unknown[], options: Options = {}) {
  return organization.request('POST', '/v1/send/batch', { messages }, options)
}

async function arrived(): Promise<string[]> {
  return (await sentMail()).flatMap(({ bytes }) => /^Subject: (.*)\r$/m.exec(bytes.toString())?.[1] ?? '')
}

/** What became of each message. */
const outcomes = (body: { data: { status: string; error?: { code: string } }[] }) =>
  body.data.map(({ status, error }) => error?.code ?? status)

/** An error without what differs from request to request. */
function known({ request_id: _, ...error }: { request_id?: string }): unknown {
  return error
}

test('a hundred messages are sent, each with an id of its own, and kept in Sent', async () => {
  const { organization, ada } = await sender()
  const one = { from: ada, text: 'Hello' }
  const messages = Array.from({ length: 100 }, (_, at) => ({ ...one, to: `bob${at}@there.example`, subject: `${at}` }))
  const { status, body } = await batch(organization, messages)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(new Set(body.data.map(({ id }: { id: string }) => id)).size, 100)
  assert.deepEqual((await arrived()).toSorted(), messages.map(({ subject }) => subject).toSorted())
  const { body: sent } = await organization.request('GET', `/v1/messages?mailbox=${ada}&folder=sent`)
  assert.equal(sent.total, 100)
  const { body: seventh } = await organization.request('GET', `/v1/sent/${body.data[7].id}`)
  assert.equal(seventh.recipients[0].address, 'bob7@there.example')
})

test('each message is judged as it would be alone, and delays no other', async () => {
  const { organization, ada } = await sender()
  const hidden = await privateMailbox(organization, 'hidden')
  const good = { from: ada, to: 'bob@there.example', text: 'Hello', subject: 'good' }
  const messages = [
    good,
    { ...good, to: ['bob'] },
    { ...good, from: 'nobody@nowhere.example' },
    { ...good, from: hidden.address },
    { ...good, to: [], subject: 'a\nb', more: 1 },
    { ...good, text: undefined },
    { ...good, headers: { Received: 'x' } },
    { ...good, to: 5, subject: 7 },
    5,
    null,
    [],
    { ...good, subject: null },
  ]
  const { body } = await batch(organization, messages)
  const found = body.data.map(({ status }: { status: string }) => status)
  assert.deepEqual(found, ['queued', ...Array<string>(10).fill('failed'), 'queued'])
  for (const [at, message] of messages.entries()) {
    if (found[at] === 'queued' || typeof message !== 'object' || message === null || Array.isArray(message)) continue
    const { body: alone } = await organization.request('POST', '/v1/send', message)
    assert.deepEqual(body.data[at].error, known(alone.error))
  }
  for (const at of [8, 9, 10]) assert.equal(body.data[at].error.code, 'invalid_request')
  assert.equal((await arrived()).length, 2)
})

test('the allowance is counted for each message, and a smaller one behind a large one may still go', async () => {
  const plan = { name: 'three', domains: 5, mailboxes: 5, storage_bytes: 1_000_000, sends_per_day: 3 }
  await world.db.insertInto('plans').values(plan).execute()
  const { organization, ada } = await sender('three')
  const to = (count: number) => Array.from({ length: count }, (_, at) => `bob${at}@there.example`)
  const messages = [2, 2, 1, 1].map((count, at) => ({ from: ada, to: to(count), text: 'Hello', subject: `${at}` }))
  const { body } = await batch(organization, messages)
  assert.deepEqual(outcomes(body), ['queued', 'quota_exceeded', 'queued', 'quota_exceeded'])
  assert.deepEqual([...new Set(await arrived())].toSorted(), ['0', '2'])
})

test('suppressed recipients are named for each message', async () => {
  const { organization, ada } = await sender()
  const complained = { cause: 'complained', bounces: 1, bounced_at: new Date(), suppressed_at: new Date() } as const
  const row = { organization_id: organization.id, address: 'gone@there.example', mailbox_id: null, ...complained }
  await world.db.insertInto('suppressions').values(row).execute()
  const { body } = await batch(organization, [
    { from: ada, to: 'gone@there.example', text: 'Hello' },
    { from: ada, to: ['gone@there.example', 'bob@there.example'], text: 'Hello', subject: 'to bob' },
  ])
  assert.deepEqual([body.data[0].status, body.data[0].error.field], ['failed', 'to'])
  assert.deepEqual([body.data[1].status, body.data[1].refused[0].address], ['queued', 'gone@there.example'])
  assert.deepEqual(await arrived(), ['to bob'])
})

test('a restricted key sends from its mailboxes and to its recipients alone', async () => {
  const { organization, ada, id } = await sender()
  const eve = (await organization.mailbox('eve')).address
  const key = await organization.restrictedKey({ mailbox_ids: [id], recipients: ['@there.example'] })
  const messages = [
    { from: ada, to: 'bob@there.example', text: 'Hello', subject: 'mine' },
    { from: eve, to: 'bob@there.example', text: 'Hello' },
    { from: ada, to: 'bob@elsewhere.example', text: 'Hello' },
  ]
  const { body } = await batch(organization, messages, { key })
  assert.deepEqual(outcomes(body), ['queued', 'not_found', 'invalid_request'])
  assert.deepEqual(await arrived(), ['mine'])
})
