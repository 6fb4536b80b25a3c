import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { phone, type Visitor, wide } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

const row = (page: Page, subject: string) => page.getByRole('row').filter({ hasText: subject })
const says = (page: Page, text: string) => page.getByRole('alertdialog').filter({ hasText: text }).first().waitFor()
const dialogOf = (page: Page, name: string) => page.getByRole('alertdialog', { name })

/** Three conversations in a folder. */
async function furnished(folder: string): Promise<Box> {
  const box = await boxOf(world)
  for (const subject of ['The engine', 'Your invoice', 'The moon']) await box.receive({ subject, text: 'Look.' })
  const uids = (await box.states()).map(({ uid }) => uid)
  if (folder !== 'inbox') await box.change(uids, { folder })
  return box
}

async function open({ page }: Visitor, { address }: Box, folder: string): Promise<void> {
  await page.goto(`/mail/${encodeURIComponent(address)}/${folder}`)
  await row(page, 'The moon').waitFor()
}

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`trash is emptied in ${what}, once that is confirmed`, async () => {
    const box = await furnished('trash')
    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await open(visitor, box, 'trash')
    await visitor.assertSound()
    await page.getByRole('button', { name: 'Empty Trash' }).click()
    const dialog = dialogOf(page, 'Empty Trash?')
    await dialog.getByText('3 messages will be gone').waitFor()
    await visitor.assertSound()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await box.states('trash')).length, 3)
    await page.getByRole('button', { name: 'Empty Trash' }).click()
    await dialog.getByRole('button', { name: 'Empty Trash' }).click()
    await says(page, 'Trash is empty')
    await page.getByText('Nothing in Trash').waitFor()
    assert.deepEqual(await box.states('trash'), [])
    await page.getByRole('button', { name: 'Empty Trash' }).waitFor({ state: 'detached' })
    await visitor.assertSound()
  })
}

test('what is selected in the trash is deleted for good by a key, and the rest stays', async () => {
  const box = await furnished('trash')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box, 'trash')
  for (const subject of ['The engine', 'The moon']) await row(page, subject).getByRole('checkbox').check()
  await visitor.assertSound()
  await page.keyboard.press('#')
  const dialog = dialogOf(page, 'Delete for good?')
  await dialog.getByText('2 messages will be gone').waitFor()
  await visitor.assertSound()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await box.states('trash')).length, 3)
  await page.keyboard.press('#')
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await says(page, '2 messages deleted for good')
  await row(page, 'The moon').waitFor({ state: 'detached' })
  await row(page, 'Your invoice').waitFor()
  assert.deepEqual(
    (await box.states('trash')).map(({ subject }) => subject),
    ['Your invoice'],
  )
})

test('a conversation in junk is deleted for good, and one in the inbox only moved', async () => {
  const box = await furnished('junk')
  await box.receive({ subject: 'Hello', text: 'Look.' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box, 'junk')
  await row(page, 'The moon').getByRole('link').click()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await dialogOf(page, 'Delete for good?').getByRole('button', { name: 'Delete for good' }).click()
  await says(page, 'One message deleted for good')
  assert.equal((await box.states('junk')).length, 2)
  await page.goto(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await row(page, 'Hello').getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Delete for good' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: /^Empty/ }).count(), 0)
})

test('an undo says what it leaves alone, since somebody else has changed it', async () => {
  const box = await furnished('inbox')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box, 'inbox')
  for (const subject of ['The engine', 'The moon']) await row(page, subject).getByRole('checkbox').check()
  await page.keyboard.press('e')
  await says(page, '2 conversations moved to Archive')
  const [moon] = await box.states('archive')
  const there = `/v1/messages?mailbox=${box.address}&folder=archive`
  await box.organization.request('DELETE', there, { uids: [moon?.uid] })
  await page.getByRole('button', { name: 'Undo' }).click()
  await says(page, 'Undone, but for a message: no longer there')
  await row(page, 'The engine').waitFor()
  await visitor.assertSound()
})
