import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phone, Visitor, wide } from './browser.ts'
import { startSite } from './site.ts'

const { world, browser } = await startSite()

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
  await using wideVisitor = await Visitor.signIn(browser, organization, member, wide)
  const { page } = wideVisitor
  for (const [what, path] of [
    [/“See you on Monday” was not sent.*The relay refused/, '/scheduled'],
    [/did not reach gone@peer\.example.*There is no such mailbox/, `/mail/${encodeURIComponent(address)}/sent`],
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
  assert.equal(await visitor.page.getByRole('link', { name: 'Look' }).count(), 3)
})
