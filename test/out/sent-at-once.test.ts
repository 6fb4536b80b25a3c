// On both databases: what one connection commits wakes the worker of another.
// In a process of its own: its intervals stand still.

import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { configure, forwardsTo } from '#test/world/mail/forwarding.ts'
import { loggedIn, startSubmitting, submittingMailbox, written } from '#test/world/mail/submission.ts'
import { signIn } from '#test/world/members/signed-in.ts'

/** The worker polls its queue, and reads it when notified. Here polling is off. */
mock.timers.enable({ apis: ['setInterval'] })
const env = { MAILROOM_TICK_SECONDS: '3600', MAILROOM_PUBLIC_URL: 'https://mail.example.com' }
const { world, sink, organization, port, ...on } = await startSubmitting({ env })
after(async () => {
  await on[Symbol.asyncDispose]()
  mock.timers.reset()
})
const { address: from } = await submittingMailbox(organization, 'ada')
beforeEach(async () => {
  await world.outbound.processAll()
  sink.taken.length = 0
})

const sent = () => sink.until(({ taken }) => taken.length === 1)
const message = { from, to: 'bob@there.example', subject: 'Now', text: 'Hello' }
const arrive = (...to: string[]) => world.send({ from: 'ann@far.example', to, subject: 'Now', text: 'Hello' })

for (const [what, act] of [
  ['a message accepted by the API', () => organization.bodyOf(202, 'POST', '/v1/send', message)],
  ['a message of a batch', () => organization.bodyOf(200, 'POST', '/v1/send/batch', { messages: [message] })],
  [
    'what a mail program submits',
    async () => {
      await using client = await loggedIn(port, from)
      assert.equal((await client.send(from, message.to, written(from))).code, 250)
    },
  ],
  [
    'a sign-in link to a new member, and another one,',
    async () => {
      const boss = await signIn(organization, (await organization.member('boss@people.example', 'owner')).id)
      const { body } = await boss.request('POST', '/v1/members', { email: 'ann@far.example' })
      assert.equal(body.mailed, true)
      await sent()
      sink.taken.length = 0
      assert.equal((await boss.request('POST', `/v1/members/${body.id}/invitation`)).status, 201)
    },
  ],
  [
    'what is forwarded',
    async () => {
      await configure(organization, from, forwardsTo('ada@away.example'))
      await arrive(from)
    },
  ],
  ['what one of two recipients forwards', async () => arrive(from, (await organization.mailbox('bea')).address)],
] as const)
  test(`${what} is sent at once`, async () => {
    await act()
    await sent()
  })
