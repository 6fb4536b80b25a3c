import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import * as app from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { each } from '#test/world/each.ts'

const { click, closeByEscape, dialog, fillIn, focusOn, pathOf, press, row, says } = app
const { world, visit, arrive } = await startSite()

const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const link = (page: Page, name: string) => pages(page).getByRole('link', { name, exact: true })

/** The folders of a mailbox that are not in every one. */
const own = async (box: Box) => each(await box.listed(`/v1/folders?mailbox=${box.address}`), 'name').slice(6)

async function withMail(...subjects: string[]): Promise<Box> {
  const box = await boxOf(world)
  for (const subject of subjects) await box.receive({ subject, text: 'Look.' })
  return box
}

/** A mailbox with folders, one of them with mail. */
async function furnished(): Promise<Box> {
  const box = await withMail('The engine', 'The moon')
  for (const name of ['Projects', 'Projects/Apollo', 'Sky'])
    await box.make(`/v1/folders?mailbox=${box.address}`, { name })
  await box.change({ folder: 'Projects/Apollo' })
  return box
}

/** Chooses from the menu of a folder, which a phone shows in that of the page. */
async function chooseOf(page: Page, folder: string, item: string): Promise<void> {
  await click(page, `Menu of ${folder}`)
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

for (const [what, options] of windows)
  test(`folders are made, renamed and deleted in ${what}, and another session shows it`, async () => {
    const box = await furnished()
    const { visitor, page } = await visit(box, undefined, options)
    const { page: other } = await visit(box)
    await app.follow(other, pathOf(box, 'Projects/Apollo'))
    await row(other, 'The moon').waitFor()
    await visitor.open(pathOf(box, 'Projects/Apollo'))
    await row(page, 'The moon').waitFor()
    const openMenu = async () => 'isMobile' in options && (await click(page, 'Menu'))
    await openMenu()
    await visitor.assertSound()

    await fillIn(page, `New folder in ${box.address}`, { Name: 'Tea' }, 'Make folder')
    await says(page, 'Folder Tea made')
    for (const one of [page, other]) await link(one, 'Tea').waitFor()

    await chooseOf(page, 'Projects', 'Rename')
    await dialog(page, 'Rename Projects').getByText('The folders within it go with it.').waitFor()
    await dialog(page, 'Rename Projects').getByLabel('Name').fill('Done')
    await press(page, 'Rename')
    // The page of a folder goes with it.
    await page.getByRole('heading', { level: 1, name: 'Done/Apollo' }).waitFor()
    await row(page, 'The moon').waitFor()
    await link(other, 'Done/Apollo 2 unread').waitFor()
    await other.getByText('There is no folder Projects/Apollo').waitFor()
    assert.deepEqual(await own(box), ['Done', 'Done/Apollo', 'Sky', 'Tea'])

    await openMenu()
    await chooseOf(page, 'Done', 'Delete')
    await dialog(page, 'Done cannot be deleted yet').getByText('Done/Apollo').waitFor()
    await closeByEscape(page, dialog(page))
    await chooseOf(page, 'Done/Apollo', 'Delete')
    const asked = dialog(page, 'Delete Done/Apollo?')
    await asked.getByText('It has 2 messages').waitFor()
    await asked.getByRole('button', { name: /Where its mail goes/ }).click()
    await page.getByRole('option', { name: 'Sky', exact: true }).click()
    await press(page, 'Delete folder')
    await says(page, 'Folder Done/Apollo deleted, 2 messages moved to Sky')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await link(other, 'Sky 2 unread').waitFor()
    await click(page, 'Undo')
    await says(page, 'Undone')
    await openMenu()
    for (const one of [page, other]) await link(one, 'Done/Apollo 2 unread').waitFor()
    assert.equal((await box.states('Done/Apollo')).length, 2)
  })

test('the keyboard alone makes, renames and deletes a folder, and an undo makes an empty one again', async () => {
  const { box, page } = await arrive(pathOf)
  const menu = pages(page).getByRole('button', { name: 'Menu of Tea' })
  const name = (dialogName: string) => focusOn(dialog(page, dialogName).getByLabel('Name'))
  const openRename = async () => {
    await focusOn(menu)
    await page.keyboard.press('Enter')
    await focusOn(page.locator('[role=menuitem][data-focused]').filter({ hasText: 'Rename' }))
    await page.keyboard.press('Enter')
    await name('Rename Tea')
  }
  await app.choose(page, 'New folder in')
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

  await app.choose(page, 'Delete the folder Coffee')
  await dialog(page, 'Delete Coffee?').getByText('It is empty.').waitFor()
  await dialog(page).getByRole('button', { name: 'Delete folder' }).press('Enter')
  await says(page, 'Folder Coffee deleted')
  await focusOn(link(page, 'Inbox'))
  assert.deepEqual(await own(box), [])
  await page.keyboard.press('z')
  await link(page, 'Coffee').waitFor()
  assert.deepEqual(await own(box), ['Coffee'])
})

test('what is wrong with a name is said at its field, and what was typed stays', async () => {
  const box = await furnished()
  const { visitor, page } = await visit(box, pathOf(box))
  for (const [item, name, begins, typed, action, said] of [
    ['New folder within it', 'New folder', 'Sky/', 'Sky/*', 'Make folder', 'must not hold * or %'],
    ['New folder within it', 'New folder', 'Sky/', 'INBOX', 'Make folder', 'There is a folder Inbox already'],
    ['Rename', 'Rename Sky', 'Sky', 'Projects', 'Rename', 'There is a folder "Projects" already'],
  ] as const) {
    await chooseOf(page, 'Sky', item)
    const field = dialog(page, name).getByLabel('Name')
    assert.equal(await field.inputValue(), begins)
    await field.fill(typed)
    await press(page, action)
    await dialog(page, name).getByText(said).waitFor()
    assert.deepEqual([await field.getAttribute('aria-invalid'), await field.inputValue()], ['true', typed])
    if (item === 'Rename') await visitor.assertSound()
    await closeByEscape(page, dialog(page, name))
  }
  assert.deepEqual(await own(box), ['Projects', 'Projects/Apollo', 'Sky'])
})

test('mail moves to a folder that is made for it, and an impossible name is said before anything moves', async () => {
  const box = await withMail('The engine', 'The moon')
  const { page } = await visit(box, pathOf(box))
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
  await press(page, 'Make folder and move')
  await says(page, 'moved to Sky')
  await row(page, 'The moon').waitFor({ state: 'detached' })
  assert.deepEqual(each(await box.states('Sky'), 'subject'), ['The moon'])
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
  const { page } = await visit(box, pathOf(box))
  for (const item of ['Rename', 'Delete']) {
    await chooseOf(page, 'Sky', item)
    await dialog(page).getByText('make it again when they match: Bills').waitFor()
    await closeByEscape(page, dialog(page))
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
    const { page } = await visit(box.of(id), pathOf(box, 'Sky'))
    await link(page, 'Projects/Apollo 2 unread').waitFor()
    // Of the member's own mailbox it is there, so it is loaded.
    await page.getByRole('button', { name: `New folder in ${bob}` }).waitFor()
    for (const name of [`New folder in ${box.address}`, 'Menu of Sky'])
      assert.equal(await page.getByRole('button', { name }).count(), most, name)
    await page.keyboard.press('Control+k')
    const entries = dialog(page, 'Go to').getByRole('menuitem')
    await entries.filter({ hasText: `New folder in ${bob}` }).waitFor()
    for (const name of [`New folder in ${box.address}`, 'Rename the folder Sky', 'Delete the folder Sky'])
      assert.equal(await entries.filter({ hasText: name }).count(), most, name)
  }
})

/** A browser at a folder with three conversations. */
async function arriveAt(folder: string) {
  const box = await withMail('The engine', 'Your invoice', 'The moon')
  await box.change({ folder })
  const { visitor, page } = await visit(box, pathOf(box, folder))
  await row(page, 'The moon').waitFor()
  return { box, visitor, page }
}

test('trash is emptied, once that is confirmed', async () => {
  const { box, visitor, page } = await arriveAt('trash')
  for (const [answer, left] of [
    ['Cancel', 3],
    ['Empty Trash', 0],
  ] as const) {
    await click(page, 'Empty Trash')
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
  const { box, page } = await arriveAt('trash')
  for (const subject of ['The engine', 'The moon']) await row(page, subject).getByRole('checkbox').check()
  for (const sure of [false, true]) {
    await page.keyboard.press('#')
    await dialog(page, 'Delete for good?').getByText('2 messages will be gone').waitFor()
    if (sure) await press(page, 'Delete for good')
    else await closeByEscape(page, dialog(page, 'Delete for good?'))
  }
  await says(page, '2 messages deleted for good')
  await row(page, 'The moon').waitFor({ state: 'detached' })
  assert.deepEqual(each(await box.states('trash'), 'subject'), ['Your invoice'])
})

test('a conversation in junk is deleted for good, and one in the inbox only moved', async () => {
  const { box, visitor, page } = await arriveAt('junk')
  await app.openConversation(page, 'The moon')
  await click(page, 'Delete for good')
  await press(page, 'Delete for good')
  await says(page, 'One message deleted for good')
  assert.equal((await box.states('junk')).length, 2)
  await box.receive({ subject: 'Hello', text: 'Look.' })
  await visitor.open(pathOf(box))
  await app.list(page).getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Empty|for good$/ }).count(), 0)
})
