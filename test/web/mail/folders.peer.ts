import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { choose, closeByEscape, dialog, focusOn, follow, pathOf, row, says } from '#test/web/app.ts'
import { type Visitor, windows } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser, visit } = await startSite()

const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const link = (page: Page, name: string) => pages(page).getByRole('link', { name, exact: true })
const button = (page: Page, dialogName: string, name: string) => dialog(page, dialogName).getByRole('button', { name })

/** The folders of a mailbox that are not in every one. */
async function own({ organization, address }: Box): Promise<string[]> {
  const { body } = await organization.request('GET', `/v1/folders?mailbox=${address}`)
  return body.data.slice(6).map(({ name }: { name: string }) => name)
}

/** A mailbox with folders, one of them with mail. */
async function furnished(): Promise<Box> {
  const box = await boxOf(world)
  for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
  for (const name of ['Projects', 'Projects/Apollo', 'Sky'])
    await box.make(`/v1/folders?mailbox=${box.address}`, { name })
  const uids = (await box.states()).map(({ uid }) => uid)
  await box.change(uids, { folder: 'Projects/Apollo' })
  return box
}

async function arrive(box: Box, folder?: string): Promise<{ visitor: Visitor; page: Page }> {
  return { ...(await visit(box, pathOf(box, folder))) }
}

/** Chooses from the menu of a folder, which a phone shows in that of the page. */
async function chooseOf(page: Page, folder: string, item: string): Promise<void> {
  await pages(page)
    .getByRole('button', { name: `Menu of ${folder}`, exact: true })
    .click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

for (const [what, options] of windows)
  test(`folders are made, renamed and deleted in ${what}, and another session shows it`, async () => {
    const box = await furnished()
    await using visitor = await reader(browser, box, options)
    await using other = await reader(browser, box)
    const { page } = visitor
    await follow(other.page, pathOf(box, 'Projects/Apollo'))
    await row(other.page, 'The moon').waitFor()
    await visitor.open(pathOf(box, 'Projects/Apollo'))
    await row(page, 'The moon').waitFor()
    const openMenu = async () => {
      if ('isMobile' in options) await page.getByRole('button', { name: 'Menu', exact: true }).click()
    }
    await openMenu()
    await visitor.assertSound()

    await pages(page)
      .getByRole('button', { name: `New folder in ${box.address}` })
      .click()
    await dialog(page, 'New folder').getByLabel('Name').fill('Tea')
    await button(page, 'New folder', 'Make folder').click()
    await says(page, 'Folder Tea made')
    for (const one of [page, other.page]) await link(one, 'Tea').waitFor()

    await chooseOf(page, 'Projects', 'Rename')
    await dialog(page, 'Rename Projects').getByText('The folders within it go with it.').waitFor()
    await dialog(page, 'Rename Projects').getByLabel('Name').fill('Done')
    await button(page, 'Rename Projects', 'Rename').click()
    // The page of a folder goes with it.
    await page.getByRole('heading', { level: 1, name: 'Done/Apollo' }).waitFor()
    await row(page, 'The moon').waitFor()
    await link(other.page, 'Done/Apollo 2 unread').waitFor()
    await other.page.getByText('There is no folder Projects/Apollo').waitFor()
    assert.deepEqual(await own(box), ['Done', 'Done/Apollo', 'Sky', 'Tea'])

    await openMenu()
    await chooseOf(page, 'Done', 'Delete')
    const refusal = dialog(page, 'Done cannot be deleted yet')
    await refusal.getByText('Done/Apollo').waitFor()
    await closeByEscape(page, refusal)
    await chooseOf(page, 'Done/Apollo', 'Delete')
    await dialog(page, 'Delete Done/Apollo?').getByText('It has 2 messages').waitFor()
    await dialog(page, 'Delete Done/Apollo?')
      .getByRole('button', { name: /Where its mail goes/ })
      .click()
    await page.getByRole('option', { name: 'Sky', exact: true }).click()
    await button(page, 'Delete Done/Apollo?', 'Delete folder').click()
    await says(page, 'Folder Done/Apollo deleted, 2 messages moved to Sky')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await link(other.page, 'Sky 2 unread').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await says(page, 'Undone')
    await openMenu()
    for (const one of [page, other.page]) await link(one, 'Done/Apollo 2 unread').waitFor()
    assert.equal((await box.states('Done/Apollo')).length, 2)
  })

test('the keyboard alone makes, renames and deletes a folder, and an undo makes an empty one again', async () => {
  const box = await boxOf(world)
  const { page } = await arrive(box)
  const menu = pages(page).getByRole('button', { name: 'Menu of Tea' })
  const name = (dialogName: string) => focusOn(dialog(page, dialogName).getByLabel('Name'))
  const openRename = async () => {
    await focusOn(menu)
    await page.keyboard.press('Enter')
    await focusOn(page.locator('[role=menuitem][data-focused]').filter({ hasText: 'Rename' }))
    await page.keyboard.press('Enter')
    await name('Rename Tea')
  }
  await choose(page, 'New folder in')
  await name('New folder')
  await page.keyboard.type('Tea')
  await page.keyboard.press('Enter')
  await link(page, 'Tea').waitFor()
  await dialog(page, 'New folder').waitFor({ state: 'detached' })

  await menu.focus()
  await openRename()
  await closeByEscape(page, dialog(page, 'Rename Tea'))
  await openRename()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Coffee')
  await page.keyboard.press('Enter')
  await focusOn(link(page, 'Coffee'))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Coffee' }).waitFor()

  await choose(page, 'Delete the folder Coffee')
  await dialog(page, 'Delete Coffee?').getByText('It is empty.').waitFor()
  await button(page, 'Delete Coffee?', 'Delete folder').press('Enter')
  await says(page, 'Folder Coffee deleted')
  await focusOn(link(page, 'Inbox'))
  assert.deepEqual(await own(box), [])
  await page.keyboard.press('z')
  await link(page, 'Coffee').waitFor()
  assert.deepEqual(await own(box), ['Coffee'])
})

test('what is wrong with a name is said at its field, and what was typed stays', async () => {
  const box = await furnished()
  const { visitor, page } = await arrive(box)
  for (const [item, name, begins, typed, action, said] of [
    ['New folder within it', 'New folder', 'Sky/', 'Sky/*', 'Make folder', 'must not hold * or %'],
    ['New folder within it', 'New folder', 'Sky/', 'INBOX', 'Make folder', 'There is a folder Inbox already'],
    ['Rename', 'Rename Sky', 'Sky', 'Projects', 'Rename', 'There is a folder "Projects" already'],
  ] as const) {
    await chooseOf(page, 'Sky', item)
    const field = dialog(page, name).getByLabel('Name')
    assert.equal(await field.inputValue(), begins)
    await field.fill(typed)
    await button(page, name, action).click()
    await dialog(page, name).getByText(said).waitFor()
    assert.deepEqual([await field.getAttribute('aria-invalid'), await field.inputValue()], ['true', typed])
    await visitor.assertSound()
    await closeByEscape(page, dialog(page, name))
  }
  assert.deepEqual(await own(box), ['Projects', 'Projects/Apollo', 'Sky'])
})

test('mail moves to a folder that is made for it, and an impossible name is said before anything moves', async () => {
  const box = await boxOf(world)
  for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
  const { page } = await arrive(box)
  const menu = async (subject: string, typed: string, item: string) => {
    await row(page, subject).getByRole('checkbox').check()
    await page.keyboard.press('v')
    await page.getByRole('menuitem', { name: 'Archive' }).waitFor()
    await focusOn(dialog(page, 'Move').locator('input'))
    await page.keyboard.type(typed)
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await menu('The moon', '../Sky', 'New folder ../Sky')
  const asked = dialog(page, 'New folder')
  await asked.getByText('must not have a step that is called ..').waitFor()
  assert.equal((await box.states()).length, 2)
  await asked.getByLabel('Name').fill('Sky')
  await button(page, 'New folder', 'Make folder and move').click()
  await says(page, 'moved to Sky')
  await row(page, 'The moon').waitFor({ state: 'detached' })
  assert.equal((await box.states('Sky'))[0]?.subject, 'The moon')
  await menu('The engine', '', 'New folder…')
  await focusOn(asked.getByLabel('Name'))
  await page.keyboard.type('Oil')
  await page.keyboard.press('Enter')
  await says(page, 'moved to Oil')
  assert.deepEqual(await own(box), ['Oil', 'Sky'])
})

test('filters that would make a folder again are named before it is renamed or deleted', async () => {
  const box = await furnished()
  const bills = { name: 'Bills', field: 'subject', op: 'contains', value: 'x', action: 'move', argument: 'Sky' }
  await box.make('/v1/filters', bills)
  const { page } = await arrive(box)
  for (const [item, name] of [
    ['Rename', 'Rename Sky'],
    ['Delete', 'Delete Sky?'],
  ] as const) {
    await chooseOf(page, 'Sky', item)
    await dialog(page, name).getByText('make it again when they match: Bills').waitFor()
    await closeByEscape(page, dialog(page, name))
  }
})

test('folders of a shared mailbox are changed by those alone who may change its mail', async () => {
  const box = await furnished()
  const bob = (await box.organization.mailbox('bob')).address
  const { id } = await box.organization.member(bob)
  for (const [level, most] of [
    ['read', 0],
    ['change', 1],
  ] as const) {
    await box.share(id, level)
    const { page } = await arrive(box.of(id), 'Sky')
    const shown = async (name: string) => await pages(page).getByRole('button', { name }).count()
    await link(page, 'Projects/Apollo 2 unread').waitFor()
    // Of the member's own mailbox it is there, so it is loaded.
    await pages(page)
      .getByRole('button', { name: `New folder in ${bob}` })
      .waitFor()
    for (const name of [`New folder in ${box.address}`, 'Menu of Sky']) assert.equal(await shown(name), most, name)
    await page.keyboard.press('Control+k')
    const entries = dialog(page, 'Go to').getByRole('menuitem')
    await entries.filter({ hasText: `New folder in ${bob}` }).waitFor()
    for (const name of [`New folder in ${box.address}`, 'Rename the folder Sky', 'Delete the folder Sky'])
      assert.equal(await entries.filter({ hasText: name }).count(), most, name)
  }
})
