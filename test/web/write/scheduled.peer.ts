import assert from 'node:assert/strict'
import { test } from 'node:test'
import { press } from '#test/web/app.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { addScheduled } from '#test/world/mail/queued.ts'

const { world, visit } = await startSite()

test('of more scheduled messages than one page has, the later ones are shown when asked for, with the key that did it', async () => {
  const box = await boxOf(world)
  const { organization, address } = box
  const soon = world.clock.now() + 3_600_000
  for (let n = 0; n < 200; n++)
    await addScheduled(world.db, organization.id, ['a@peer.example'], new Date(soon + n * 1_000))
  // Who reads a mailbox sees what it sends.
  for (const [table, change] of [
    ['api_keys', { name: 'Newsletter' }],
    ['outbound_messages', { mailbox_id: box.id }],
  ] as const)
    await world.db.updateTable(table).set(change).where('organization_id', '=', organization.id).execute()
  const send_at = new Date(soon + 86_400_000).toISOString()
  const message = { from: address, to: ['a@peer.example'], subject: 'The last one', text: 'Hello' }
  await box.make('/v1/scheduled', { ...message, send_at })
  const { visitor, page } = await visit(box)
  await visitor.takeClock()
  await visitor.open('/scheduled')
  const last = page.getByRole('row').filter({ hasText: 'The last one' })
  await page.getByRole('button', { name: 'Later messages' }).waitFor()
  assert.equal(await last.count(), 0)
  await page.getByRole('button', { name: 'Later messages' }).click()
  await last.filter({ hasText: 'Key “Newsletter”' }).waitFor()
  // The remaining time, which counts down, and the time itself.
  await last.getByText(/^\d+ days?,? \d+ hr/).waitFor()
  await last.locator(`time[datetime="${send_at}"]`).waitFor()
  const next = page.getByRole('table', { name: 'Scheduled messages' }).getByRole('row').nth(1)
  const left = await next.getByText(/^\d+ mins?,? \d+ secs?$/).textContent()
  await page.clock.fastForward(60_000)
  await next.getByText(left ?? '', { exact: true }).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('button', { name: 'Later messages' }).count(), 0)
  await visitor.assertSoundAnywhere()
  await last.getByRole('button', { name: 'Cancel' }).click()
  await press(page, 'Cancel message')
  await last.waitFor({ state: 'detached' })
})
