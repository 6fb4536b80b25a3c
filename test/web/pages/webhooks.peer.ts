import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phone, Visitor, wide } from '#test/web/browser.ts'
import { startSite } from '#test/web/site.ts'
import { isGenuine, Receiver } from '#test/webhooks/receiver.ts'

const { world, browser } = await startSite({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })

async function owner() {
  const organization = await world.organization()
  const { id } = await organization.member(`ada@${organization.domain}`, 'owner')
  return { organization, id }
}

test('an owner makes a webhook, whose secret is shown once, tries it out, and has an event delivered again', async () => {
  const { organization, id } = await owner()
  await using receiver = await Receiver.start()
  await using visitor = await Visitor.signIn(browser, organization, id)
  const { page } = visitor
  await visitor.open('/')
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await visitor.assertSound()
  await page.getByLabel('URL').fill('https://127.0.0.1.:25/')
  await page.getByLabel('Name').fill('Help desk')
  await page.getByLabel('Only these events').fill('label')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText(/The port of url must be/).waitFor()
  await page.getByLabel('URL').fill(receiver.url)
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const secret = await page.getByRole('dialog', { name: 'The webhook is made' }).locator('code').textContent()
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('link', { name: 'Help desk' }).click()
  await page.getByText('Nothing is delivered yet').waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The test event is delivered').waitFor()
  assert.ok(secret && receiver.taken[0] && isGenuine(receiver.taken[0], secret))

  await organization.request('POST', '/v1/labels', { name: 'Invoices' })
  await receiver.until(({ taken }) => taken.length === 2)
  await page.getByRole('button', { name: /^Deliver label.created/ }).click()
  await page.getByRole('button', { name: 'Deliver again' }).click()
  await receiver.until(({ taken }) => taken.length === 3)
  assert.equal(receiver.taken[2]?.id, receiver.taken[1]?.id)

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('No webhooks yet').waitFor()
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`webhooks and what became of their events are sound in ${what}`, async () => {
    const { organization, id } = await owner()
    await using receiver = await Receiver.start()
    receiver.answers = ({ name }, response) =>
      void response.writeHead(name === 'Fails' ? 500 : 204).end(name === 'Fails' ? 'x'.repeat(2_000) : '')
    const made = await organization.request('POST', '/v1/webhooks', { url: receiver.url, types: ['label'] })
    for (const name of ['Invoices', 'Fails', 'Letters']) await organization.request('POST', '/v1/labels', { name })
    await receiver.until(({ taken }) => taken.length === 2)
    await using visitor = await Visitor.signIn(browser, organization, id, options)
    await visitor.open('/webhooks')
    await visitor.assertSound()
    await visitor.open(`/webhooks/${made.body.id}`)
    await visitor.page.getByText('It answered 500').waitFor()
    await visitor.assertSound()
  })
}
