import { test } from 'node:test'
import { pathOf } from '#test/web/app.ts'
import type { Visitor } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { ofFile } from '#test/world/of-file.ts'
import { Sink } from '#test/world/sockets/sink.ts'

const sink = ofFile(await Sink.start())
const { world, visit } = await startSite({ sink })

/** The rows that the overview has, each of which leads to a path. */
async function assertLeads(visitor: Visitor, rows: readonly (readonly [what: RegExp, path: string])[]): Promise<void> {
  const { page } = visitor
  for (const [what, path] of rows) {
    await visitor.open('/')
    await page.getByRole('row').filter({ hasText: what }).getByRole('link', { name: 'Look' }).click()
    await page.waitForURL((url) => decodeURIComponent(url.pathname) === decodeURIComponent(path))
  }
  await visitor.open('/')
  await page
    .getByRole('row')
    .filter({ hasText: rows[0]?.[0] ?? '' })
    .waitFor()
  await visitor.assertSoundAnywhere()
}

/** A message that leaves in an hour. */
function later({ address }: Box) {
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  return { from: address, to: ['a@peer.example'], subject: 'See you on Monday', text: 'At nine.', send_at }
}

test('the overview says what failed and why, and leads to it', async () => {
  const box = await boxOf(world)
  const { organization, address } = box
  const { visitor } = await visit(box, '/')
  await visitor.page.getByRole('heading', { name: 'Nothing failed' }).waitFor()

  const { id } = await box.make('/v1/scheduled', later(box))
  const refused = { state: 'failed', last_error: 'The relay refused', failed_at: new Date() } as const
  await world.db.updateTable('outbound_messages').set(refused).where('id', '=', id).execute()
  const bounced = {
    ...{ organization_id: organization.id, message_id: crypto.randomUUID(), mailbox_id: box.id, sender: address },
    ...{ address: 'gone@peer.example', queued_at: new Date(), state: 'bounced' as const, at: new Date() },
    ...{ status: '5.1.1', reply: null, reason: 'There is no such mailbox', host: null },
  }
  await world.db.insertInto('sent_recipients').values(bounced).execute()
  const forwarding = { mailbox: address, forward_to: 'elsewhere@peer.example', forward_enabled: true }
  await organization.request('PATCH', '/v1/forwarding', forwarding)
  const paused = { forward_paused_at: new Date(), forward_paused_because: 'It came back five times' }
  await world.db.updateTable('forwarding').set(paused).where('mailbox_id', '=', box.id).execute()
  const webhook = await box.make('/v1/webhooks', { url: 'https://hooks.peer.example/', name: 'Shop' })
  const gone = { paused_at: new Date(), paused_because: 'The receiver answered 410' }
  await world.db.updateTable('webhooks').set(gone).where('id', '=', webhook.id).execute()
  await assertLeads(visitor, [
    [/“See you on Monday” was not sent.*The relay refused/, '/scheduled'],
    [/did not reach gone@peer\.example.*There is no such mailbox/, pathOf(box, 'sent')],
    [/The webhook Shop was paused.*answered 410/, '/webhooks'],
    [/Forwarding of .* is paused.*five times/, `/mailboxes/${encodeURIComponent(address)}`],
  ])
})

test('the overview says what waits, and leads to it', async () => {
  const box = await boxOf(world)
  const { address } = box
  await box.make('/v1/scheduled', later(box))
  sink.act = (step, { line }) => (step === 'rcpt' && line.includes('slow@') ? '451 4.7.1 Come back later' : undefined)
  await box.make('/v1/send', { from: address, to: ['slow@peer.example'], subject: 'Now', text: 'Go.' })
  await world.outbound.processAll()
  const draft = { mailbox: address, to: ['b@peer.example'], subject: 'Plans', text: 'Yes' }
  const { id, version } = await box.make('/v1/drafts', draft)
  await box.make(`/v1/drafts/${id}/approval`, { version })
  const { visitor } = await visit(box)
  await assertLeads(visitor, [
    [/A draft of .* waits for approval/, '/approvals'],
    [/“See you on Monday” is sent later.*a@peer\.example.*(?:minutes|hour)/, '/scheduled'],
    [/to slow@peer\.example is tried again.*temporarily refused the recipient/, pathOf(box, 'sent')],
  ])
})
