import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { addScheduled } from '#test/world/mail/queued.ts'

const { world, browser } = await startSite()

test('of more scheduled messages than one page has, the later ones are shown when asked for, with the key that did it', async () => {
  const box = await boxOf(world)
  const { organization, address } = box
  const soon = world.clock.now() + 3_600_000
  for (let n = 0; n < 200; n++)
    await addScheduled(world.db, organization.id, ['a@peer.example'], new Date(soon + n * 1_000))
  await world.db
    .updateTable('api_keys')
    .set({ name: 'Newsletter' })
    .where('organization_id', '=', organization.id)
    .execute()
  // Who reads a mailbox sees what it sends.
  await world.db
    .updateTable('outbound_messages')
    .set({ mailbox_id: box.id })
    .where('organization_id', '=', organization.id)
    .execute()
  const message = { from: address, to: ['a@peer.example'], subject: 'The last one', text: 'Hello' }
  const send_at = new Date(soon + 86_400_000).toISOString()
  assert.equal((await organization.request('POST', '/v1/scheduled', { ...message, send_at })).status, 201)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/scheduled')
  await page.getByRole('button', { name: 'Later messages' }).waitFor()
  const last = page.getByRole('row').filter({ hasText: 'The last one' })
  assert.equal(await last.count(), 0)
  await page.getByRole('button', { name: 'Later messages' }).click()
  await last.filter({ hasText: 'Key “Newsletter”' }).waitFor()
  // The remaining time, which counts down, and the time itself.
  await last.getByText(/^\d+ days?,? \d+ hr/).waitFor()
  await last.locator(`time[datetime="${send_at}"]`).waitFor()
  const next = page.getByRole('table', { name: 'Scheduled messages' }).getByRole('row').nth(1)
  const left = next.getByText(/^\d+ mins?,? \d+ secs?$/)
  const before = await left.textContent()
  while ((await left.textContent()) === before) await next.locator('time').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Later messages' }).count(), 0)
  await visitor.assertSoundByDayAndNight()
  await last.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel message' }).click()
  await last.waitFor({ state: 'detached' })
})
