import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phone, wide } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

const sender = (number: number) => `sender-${number}@many.example`

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone', phone],
] as const)
  test(`one of many blocked senders is found, and all are shown portion by portion, in ${what}`, async () => {
    const box = await boxOf(world)
    for (let number = 0; number < 130; number++) {
      const { status } = await box.organization.request('POST', '/v1/blocked-senders', { pattern: sender(number) })
      assert.equal(status, 201)
    }
    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await visitor.open('/blocked-senders')
    const table = page.getByRole('table', { name: 'Blocked by the organization' })
    const rows = table.locator('tbody tr')
    await page.getByText('100 of 130').waitFor()
    assert.equal(await rows.count(), 100)
    await visitor.assertSoundByDayAndNight()
    await page.getByRole('button', { name: 'Show more' }).click()
    await rows.nth(129).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
    await page.getByRole('searchbox', { name: 'Find in Blocked by the organization' }).fill('SENDER-12@')
    await page.getByRole('status').filter({ hasText: '1 of 130' }).waitFor()
    assert.equal(await rows.count(), 1)
    await page.getByRole('button', { name: `Unblock ${sender(12)}` }).waitFor()
    await visitor.assertSound()
  })

test('more senders than the rate allows are blocked after a pause, or until one stops', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await page.clock.install()
  await visitor.open('/blocked-senders')
  const paste = async (from: number) => {
    await page.getByRole('button', { name: 'Block senders' }).click()
    const lines = Array.from({ length: 610 }, (_, at) => sender(from + at))
    await page.getByLabel('Addresses or domains').fill(lines.join('\n'))
    const refused = page.waitForResponse((response) => response.status() === 429)
    await page.getByRole('button', { name: 'Block 610' }).click()
    await (await refused).finished()
  }
  const goOn = async () => {
    world.clock.advance(60_000)
    await page.clock.runFor(61_000)
  }
  await paste(0)
  await visitor.assertSound()
  await goOn()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('100 of 610').waitFor()

  await goOn()
  await paste(1_000)
  await page.getByRole('button', { name: 'Stop' }).click()
  const rest = (await page.getByLabel('Addresses or domains').inputValue()).split('\n')
  const blocked = await box.organization.request('GET', '/v1/blocked-senders')
  assert.equal(blocked.body.data.length + rest.length, 2 * 610)
  assert.equal(rest.at(-1), sender(1_609))
})
