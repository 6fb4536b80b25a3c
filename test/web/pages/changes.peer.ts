import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { phone, wide } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

test('what is merely read is not among the recent changes', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', text: 'Look.' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await page.goto(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.getByRole('row').first().getByRole('link').click()
  while ((await box.states()).some(({ unread }) => unread)) await pause(100)
  await visitor.open('/changes')
  await page.getByText('No changes').waitFor()
})

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`recent changes are listed and undone in ${what}`, async () => {
    const box = await boxOf(world)
    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await visitor.open('/changes')
    await page.getByText('No changes').waitFor()
    await visitor.assertSound()
    for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
    const uids = (await box.states()).map(({ uid }) => uid)
    await box.change(uids, { starred: true })
    await box.change(uids, { folder: 'archive', unread: false })
    await visitor.open('/changes')
    await page.getByText('2 messages starred').waitFor()
    await visitor.assertSound()
    await page.getByRole('button', { name: 'Undo 2 messages moved to Archive, marked as read' }).click()
    await page.getByRole('alertdialog').filter({ hasText: 'Undone' }).first().waitFor()
    await page.getByText('Undone: 2 messages moved to Inbox, marked as unread').waitFor()
    assert.deepEqual(
      (await box.states()).map(({ unread, starred }) => [unread, starred]),
      [
        [true, true],
        [true, true],
      ],
    )
    await visitor.assertSound()
  })
}
