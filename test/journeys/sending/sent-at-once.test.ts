// On both databases: what one connection commits wakes the worker of another.
// In a process of its own: its intervals stand still.

import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { loggedIn, startSubmitting, submittingMailbox, written } from '#test/world/mail/submission.ts'
import { signIn } from '#test/world/members/signed-in.ts'

/** The time limit of a wait. */
const timeout = 60_000

/** The worker polls its queue, and reads it when notified. Here polling is off. */
mock.timers.enable({ apis: ['setInterval'] })
const on = await startSubmitting({
  env: { MAILROOM_TICK_SECONDS: '3600', MAILROOM_PUBLIC_URL: 'https://mail.example.com' },
})
after(async () => {
  await on[Symbol.asyncDispose]()
  mock.timers.reset()
})
const ada = await submittingMailbox(on.organization, 'ada')
beforeEach(async () => {
  await on.world.outbound.processAll()
  on.sink.taken.length = 0
})

const sent = () => on.sink.until(({ taken }) => taken.length === 1)

test('a message accepted by the API is sent at once', { timeout }, async () => {
  const message = { from: ada.address, to: 'bob@there.example', subject: 'Now', text: 'Hello' }
  assert.equal((await on.organization.request('POST', '/v1/send', message)).status, 202)
  await sent()
})

test('a message of a batch is sent at once', { timeout }, async () => {
  const message = { from: ada.address, to: 'bob@there.example', subject: 'Now', text: 'Hello' }
  assert.equal((await on.organization.request('POST', '/v1/send/batch', { messages: [message] })).status, 200)
  await sent()
})

test('what a mail program submits is sent at once', { timeout }, async () => {
  await using client = await loggedIn(on.port, ada.address)
  assert.equal((await client.send(ada.address, 'bob@there.example', written(ada.address))).code, 250)
  await sent()
})

test('a sign-in link is sent at once, to a new member and again', { timeout }, async () => {
  const owner = await on.organization.member('boss@people.example', 'owner')
  const boss = await signIn(on.organization, owner.id)
  const { body } = await boss.request('POST', '/v1/members', { email: 'ann@far.example' })
  assert.equal(body.mailed, true)
  await sent()
  on.sink.taken.length = 0
  assert.equal((await boss.request('POST', `/v1/members/${body.id}/invitation`)).status, 201)
  await sent()
})

test('what is forwarded is sent at once', { timeout }, async () => {
  const forwarding = { mailbox: ada.address, forward_to: 'ada@away.example', forward_enabled: true }
  assert.equal((await on.organization.request('PATCH', '/v1/forwarding', forwarding)).status, 200)
  await on.world.send({ from: 'ann@far.example', to: ada.address, subject: 'Now', text: 'Hello' })
  await sent()
})

test('what one of two recipients forwards is sent at once', { timeout }, async () => {
  const { address } = await on.organization.mailbox('bea')
  await on.world.send({ from: 'ann@far.example', to: [ada.address, address], subject: 'Now', text: 'Hello' })
  await sent()
})
