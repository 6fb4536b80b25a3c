import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialog, press } from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { isGenuine, Receiver } from '#test/webhooks/receiver.ts'

const { world, visit } = await startSite({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })

test('an owner makes a webhook, whose secret is shown once, tries it out, and has an event delivered again', async () => {
  const box = await boxOf(world)
  await using receiver = await Receiver.start()
  const { page } = await visit(box, '/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await page.getByLabel('URL').fill('https://127.0.0.1.:25/')
  await page.getByLabel('Name').fill('Help desk')
  await page.getByLabel('Only these events').fill('label')
  await press(page, 'Create webhook')
  await page.getByText(/The port of url must be/).waitFor()
  await page.getByLabel('URL').fill(receiver.url)
  await press(page, 'Create webhook')
  const secret = await dialog(page, 'The webhook is made').locator('code').textContent()
  await press(page, 'Done')

  await page.getByRole('link', { name: 'Help desk' }).click()
  await page.getByText('Nothing is delivered yet').waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The test event is delivered').waitFor()
  assert.ok(secret && receiver.taken[0] && isGenuine(receiver.taken[0], secret))

  await box.make('/v1/labels', { name: 'Invoices' })
  await receiver.until(({ taken }) => taken.length === 2)
  await page.getByRole('button', { name: /^Deliver label.created/ }).click()
  await press(page, 'Deliver again')
  await receiver.until(({ taken }) => taken.length === 3)
  assert.equal(receiver.taken[2]?.id, receiver.taken[1]?.id)
  await dialog(page).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Delete' }).click()
  await press(page, 'Delete webhook')
  await page.getByText('No webhooks yet').waitFor()
})

for (const [what, options] of windows)
  test(`what became of the events of a webhook is sound in ${what}`, async () => {
    const box = await boxOf(world)
    await using receiver = await Receiver.start()
    receiver.answers = ({ name }, response) =>
      void response.writeHead(name === 'Fails' ? 500 : 204).end(name === 'Fails' ? 'x'.repeat(2_000) : '')
    const { id } = await box.make('/v1/webhooks', { url: receiver.url, types: ['label'] })
    for (const name of ['Invoices', 'Fails', 'Letters']) await box.make('/v1/labels', { name })
    await receiver.until(({ taken }) => taken.length === 2)
    const { visitor } = await visit(box, `/webhooks/${id}`, options)
    await visitor.page.getByText('It answered 500').waitFor()
    await visitor.assertSound()
  })
