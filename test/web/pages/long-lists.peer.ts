import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialog, press } from '#test/web/app.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit } = await startSite()

const sender = (number: number) => `sender-${number}@many.example`

test('one of many blocked senders is found, and all are shown portion by portion', async () => {
  const box = await boxOf(world)
  const patterns = Array.from({ length: 130 }, (_, number) => sender(number))
  for (const pattern of patterns) await box.make('/v1/blocked-senders', { pattern })
  const { visitor, page } = await visit(box, '/blocked-senders')
  const rows = page.getByRole('table', { name: 'Blocked by the organization' }).locator('tbody tr')
  await page.getByText('100 of 130').waitFor()
  assert.equal(await rows.count(), 100)
  await visitor.assertSoundAnywhere()
  await page.getByRole('button', { name: 'Show more' }).click()
  await rows.nth(129).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
  await page.getByRole('searchbox', { name: 'Find in Blocked by the organization' }).fill('SENDER-12@')
  await page.getByRole('status').filter({ hasText: '1 of 130' }).waitFor()
  assert.equal(await rows.count(), 1)
  await page.getByRole('button', { name: `Unblock ${sender(12)}` }).waitFor()
})

test('more senders than the rate allows are blocked after a pause, or until one stops', async () => {
  const box = await boxOf(world)
  const { visitor, page } = await visit(box)
  await visitor.takeClock()
  let allowed = 3
  await page.route('**/v1/blocked-senders', async (route) => {
    if (route.request().method() !== 'POST' || allowed-- > 0) return route.continue()
    const error = { code: 'rate_limited', message: 'Too many requests' }
    await route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json: { error } })
  })
  await visitor.open('/blocked-senders')
  const paste = async (from: number) => {
    await page.getByRole('button', { name: 'Block senders' }).click()
    await page.getByLabel('Addresses or domains').fill([0, 1, 2, 3, 4].map((at) => sender(from + at)).join('\n'))
    const refused = page.waitForResponse((response) => response.status() === 429)
    await press(page, 'Block 5')
    await (await refused).finished()
    await page.getByText('3 of 5').waitFor()
  }
  await paste(0)
  allowed = 3
  await page.clock.runFor(61_000)
  await press(page, 'Done')
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: sender(4) }).waitFor()

  allowed = 3
  await paste(10)
  await press(page, 'Stop')
  assert.equal(await page.getByLabel('Addresses or domains').inputValue(), `${sender(13)}\n${sender(14)}`)
  const { body } = await box.organization.request('GET', '/v1/blocked-senders')
  assert.equal(body.data.length, 8)
})
