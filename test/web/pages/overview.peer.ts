import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Sink } from '#test/sockets/sink.ts'
import { phone, Visitor, wide } from '#test/web/browser.ts'
import { startSite } from '#test/web/site.ts'

const sink = await Sink.start()
const { world, browser } = await startSite({ sink })
after(() => sink[Symbol.asyncDispose]())

test('the overview says what failed and why, and leads to it', async () => {
  const organization = await world.organization()
  const { address, id: mailboxId } = await organization.mailbox('ada')
  const { id: member } = await organization.member(address, 'owner')
  await using visitor = await Visitor.signIn(browser, organization, member, { ...phone, colorScheme: 'dark' })
  await visitor.open('/')
  await visitor.page.getByRole('heading', { name: 'Nothing failed' }).waitFor()
  await visitor.assertSound()

  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  const message = { from: address, to: ['a@peer.example'], subject: 'See you on Monday', text: 'At nine.', send_at }
  const { body } = await organization.request('POST', '/v1/scheduled', message)
  const refused = { state: 'failed', last_error: 'The relay refused', failed_at: new Date() } as const
  await world.db.updateTable('outbound_messages').set(refused).where('id', '=', body.id).execute()
  const bounced = {
    ...{ organization_id: organization.id, message_id: crypto.randomUUID(), mailbox_id: mailboxId, sender: address },
    ...{ address: 'gone@peer.example', queued_at: new Date(), state: 'bounced' as const, at: new Date() },
    ...{ status: '5.1.1', reply: null, reason: 'There is no such mailbox', host: null },
  }
  await world.db.insertInto('sent_recipients').values(bounced).execute()
  const paused = { forward_paused_at: new Date(), forward_paused_because: 'It came back five times' }
  const { status } = await organization.request('PATCH', '/v1/forwarding', {
    mailbox: address,
    ...{ forward_to: 'elsewhere@peer.example', forward_enabled: true },
  })
  assert.equal(status, 200)
  await world.db.updateTable('forwarding').set(paused).where('mailbox_id', '=', mailboxId).execute()
  const webhook = await organization.request('POST', '/v1/webhooks', {
    url: 'https://hooks.peer.example/',
    name: 'Shop',
  })
  assert.equal(webhook.status, 201)
  const gone = { paused_at: new Date(), paused_because: 'The receiver answered 410' }
  await world.db.updateTable('webhooks').set(gone).where('id', '=', webhook.body.id).execute()
  await using wideVisitor = await Visitor.signIn(browser, organization, member, wide)
  const { page } = wideVisitor
  for (const [what, path] of [
    [/“See you on Monday” was not sent.*The relay refused/, '/scheduled'],
    [/did not reach gone@peer\.example.*There is no such mailbox/, `/mail/${encodeURIComponent(address)}/sent`],
    [/The webhook Shop was paused.*answered 410/, '/webhooks'],
    [/Forwarding of .* is paused.*five times/, `/mailboxes/${encodeURIComponent(address)}`],
  ] as const) {
    await page.goto('/')
    await page.getByRole('row').filter({ hasText: what }).getByRole('link', { name: 'Look' }).waitFor()
    await wideVisitor.assertSound()
    await page.getByRole('row').filter({ hasText: what }).getByRole('link', { name: 'Look' }).click()
    await page.waitForURL((url) => decodeURIComponent(url.pathname) === decodeURIComponent(path))
  }
  await visitor.open('/')
  await visitor.assertSound()
  assert.equal(await visitor.page.getByRole('link', { name: 'Look' }).count(), 4)
  assert.equal(await visitor.page.getByRole('table', { name: 'What waits' }).count(), 0)
})

test('the overview says what waits, and leads to it', async () => {
  const organization = await world.organization()
  const { address } = await organization.mailbox('ada')
  const { id: member } = await organization.member(address, 'owner')
  const request = async (path: string, body: object) => {
    const answer = await organization.request('POST', path, body)
    assert.ok(answer.status < 300, `${answer.bytes}`)
    return answer.body
  }
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  const message = { from: address, to: ['a@peer.example'], subject: 'See you on Monday', text: 'At nine.', send_at }
  await request('/v1/scheduled', message)
  sink.act = (step, { line }) => (step === 'rcpt' && line.includes('slow@') ? '451 4.7.1 Come back later' : undefined)
  await request('/v1/send', { from: address, to: ['slow@peer.example'], subject: 'Now', text: 'Go.' })
  await world.outbound.processAll()
  const draft = await request('/v1/drafts', { mailbox: address, to: ['b@peer.example'], subject: 'Plans', text: 'Yes' })
  await request(`/v1/drafts/${draft.id}/approval`, { version: draft.version })
  await using visitor = await Visitor.signIn(browser, organization, member)
  const { page } = visitor
  for (const [what, path] of [
    [/A draft of .* waits for approval/, '/approvals'],
    [/“See you on Monday” is sent later.*a@peer\.example.*(?:minutes|hour)/, '/scheduled'],
    [
      /to slow@peer\.example is tried again.*temporarily refused the recipient/,
      `/mail/${encodeURIComponent(address)}/sent`,
    ],
  ] as const) {
    await visitor.open('/')
    const found = page.getByRole('table', { name: 'What waits' }).getByRole('row').filter({ hasText: what })
    await found.waitFor()
    await visitor.assertSoundByDayAndNight()
    await found.getByRole('link', { name: 'Look' }).click()
    await page.waitForURL((url) => decodeURIComponent(url.pathname) === decodeURIComponent(path))
  }
})
