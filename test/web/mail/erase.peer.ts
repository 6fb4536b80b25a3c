import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { each } from '#test/each.ts'
import { closeByEscape, dialog, list, openConversation, pathOf, press, row, says } from '#test/web/app.ts'
import type { Visitor } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

/** A browser at a folder with three conversations. */
async function arrive(folder: string): Promise<{ box: Box; visitor: Visitor; page: Page }> {
  const box = await boxOf(world)
  for (const subject of ['The engine', 'Your invoice', 'The moon']) await box.receive({ subject, text: 'Look.' })
  const uids = (await box.states()).map(({ uid }) => uid)
  await box.change(uids, { folder })
  const visitor = await reader(browser, box)
  await visitor.open(pathOf(box, folder))
  await row(visitor.page, 'The moon').waitFor()
  return { box, visitor, page: visitor.page }
}

test('trash is emptied, once that is confirmed', async () => {
  const { box, visitor, page } = await arrive('trash')
  await visitor.assertSoundAnywhere()
  for (const [answer, left] of [
    ['Cancel', 3],
    ['Empty Trash', 0],
  ] as const) {
    await page.getByRole('button', { name: 'Empty Trash' }).click()
    await dialog(page, 'Empty Trash?').getByText('3 messages will be gone').waitFor()
    await press(page, answer)
    await dialog(page, 'Empty Trash?').waitFor({ state: 'detached' })
    if (left === 0) await says(page, 'Trash is empty')
    assert.equal((await box.states('trash')).length, left)
  }
  await page.getByText('Nothing in Trash').waitFor()
  await page.getByRole('button', { name: 'Empty Trash' }).waitFor({ state: 'detached' })
  await visitor.assertSoundAnywhere()
})

test('what is selected in the trash is deleted for good by a key, and the rest stays', async () => {
  const { box, page } = await arrive('trash')
  for (const subject of ['The engine', 'The moon']) await row(page, subject).getByRole('checkbox').check()
  await page.keyboard.press('#')
  await dialog(page, 'Delete for good?').getByText('2 messages will be gone').waitFor()
  await closeByEscape(page, dialog(page, 'Delete for good?'))
  assert.equal((await box.states('trash')).length, 3)
  await page.keyboard.press('#')
  await press(page, 'Delete for good')
  await says(page, '2 messages deleted for good')
  await row(page, 'The moon').waitFor({ state: 'detached' })
  assert.deepEqual(each(await box.states('trash'), 'subject'), ['Your invoice'])
})

test('a conversation in junk is deleted for good, and one in the inbox only moved', async () => {
  const { box, visitor, page } = await arrive('junk')
  await openConversation(page, 'The moon')
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await press(page, 'Delete for good')
  await says(page, 'One message deleted for good')
  assert.equal((await box.states('junk')).length, 2)
  await box.receive({ subject: 'Hello', text: 'Look.' })
  await visitor.open(pathOf(box))
  await list(page).getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Empty|for good$/ }).count(), 0)
})
