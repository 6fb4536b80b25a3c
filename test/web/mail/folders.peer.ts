import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { phone, Visitor, wide } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, browser } = await startSite()

const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const link = (page: Page, name: string) => pages(page).getByRole('link', { name, exact: true })
const row = (page: Page, subject: string) => page.getByRole('row').filter({ hasText: subject })
const says = (page: Page, text: string) => page.getByRole('alertdialog').filter({ hasText: text }).first().waitFor()
const dialog = (page: Page, name: string) =>
  page
    .getByRole('dialog', { name, exact: true })
    .or(page.getByRole('alertdialog', { name, exact: true }))
    .first()
const at = ({ address }: Box, folder: string) => `/mail/${encodeURIComponent(address)}/${encodeURIComponent(folder)}`

/** The folders of a mailbox that are not in every one. */
async function own({ organization, address }: Box): Promise<string[]> {
  const { body } = await organization.request('GET', `/v1/folders?mailbox=${address}`)
  return body.data.slice(6).map(({ name }: { name: string }) => name)
}

async function make({ organization, address }: Box, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    assert.equal((await organization.request('POST', `/v1/folders?mailbox=${address}`, { name })).status, 201)
}

/** A mailbox with folders, one of them with mail. */
async function furnished(): Promise<Box> {
  const box = await boxOf(world)
  for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
  await make(box, 'Projects', 'Projects/Apollo', 'Sky')
  const uids = (await box.states()).map(({ uid }) => uid)
  await box.change(uids, { folder: 'Projects/Apollo' })
  return box
}

/** Chooses from the menu of a folder, which a phone shows in that of the page. */
async function choose(page: Page, folder: string, item: string): Promise<void> {
  await pages(page)
    .getByRole('button', { name: `Menu of ${folder}`, exact: true })
    .click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`folders are made, renamed and deleted in ${what}, and another session shows it`, async () => {
    const box = await furnished()
    await using visitor = await reader(browser, box, options)
    await using other = await reader(browser, box)
    const { page } = visitor
    const follows = other.page.waitForResponse((response) => response.url().includes('/v1/events'))
    await other.open(at(box, 'Projects/Apollo'))
    await follows
    await row(other.page, 'The moon').waitFor()
    await visitor.open(at(box, 'Projects/Apollo'))
    await row(page, 'The moon').waitFor()
    const openMenu = async () => {
      if (options !== wide) await page.getByRole('button', { name: 'Menu', exact: true }).click()
    }
    await openMenu()
    await visitor.assertSound()

    await pages(page)
      .getByRole('button', { name: `New folder in ${box.address}` })
      .click()
    await dialog(page, 'New folder').getByLabel('Name').fill('Tea')
    await visitor.assertSound()
    await dialog(page, 'New folder').getByRole('button', { name: 'Make folder' }).click()
    await says(page, 'Folder Tea made')
    for (const one of [page, other.page]) await link(one, 'Tea').waitFor()

    await choose(page, 'Projects', 'Rename')
    await dialog(page, 'Rename Projects').getByText('The folders within it go with it.').waitFor()
    await dialog(page, 'Rename Projects').getByLabel('Name').fill('Done')
    await visitor.assertSound()
    await dialog(page, 'Rename Projects').getByRole('button', { name: 'Rename' }).click()
    // The page of a folder goes with it.
    await page.getByRole('heading', { level: 1, name: 'Done/Apollo' }).waitFor()
    await row(page, 'The moon').waitFor()
    await link(other.page, 'Done/Apollo 2 unread').waitFor()
    await other.page.getByText('There is no folder Projects/Apollo').waitFor()
    assert.deepEqual(await own(box), ['Done', 'Done/Apollo', 'Sky', 'Tea'])

    await openMenu()
    await choose(page, 'Done', 'Delete')
    await dialog(page, 'Done cannot be deleted yet').getByText('Done/Apollo').waitFor()
    await visitor.assertSound()
    await page.keyboard.press('Escape')
    await dialog(page, 'Done cannot be deleted yet').waitFor({ state: 'detached' })
    await choose(page, 'Done/Apollo', 'Delete')
    await dialog(page, 'Delete Done/Apollo?').getByText('It has 2 messages').waitFor()
    await visitor.assertSound()
    await dialog(page, 'Delete Done/Apollo?')
      .getByRole('button', { name: /Where its mail goes/ })
      .click()
    await page.getByRole('option', { name: 'Sky', exact: true }).click()
    await dialog(page, 'Delete Done/Apollo?').getByRole('button', { name: 'Delete folder' }).click()
    await says(page, 'Folder Done/Apollo deleted, 2 messages moved to Sky')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await link(other.page, 'Done/Apollo 2 unread').waitFor({ state: 'detached' })
    await link(other.page, 'Sky 2 unread').waitFor()
    assert.equal((await box.states('Sky')).length, 2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await says(page, 'Undone')
    await openMenu()
    for (const one of [page, other.page]) await link(one, 'Done/Apollo 2 unread').waitFor()
    assert.equal((await box.states('Done/Apollo')).length, 2)
    await visitor.assertSound()
  })
}

test('the keyboard alone makes, renames and deletes a folder, and an undo makes an empty one again', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(at(box, 'inbox'))
  const focused = page.locator(':focus')
  const chosen = page.locator('[role=menuitem][data-focused]')
  const palette = async (name: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('menuitem').first().waitFor()
    await page.getByRole('dialog').locator('input').and(focused).waitFor()
    await page.keyboard.type(name)
    await page.getByRole('menuitem', { name: 'Overview' }).waitFor({ state: 'detached' })
    await chosen.filter({ hasText: name }).waitFor()
    await page.keyboard.press('Enter')
  }
  await palette('New folder in')
  await dialog(page, 'New folder').getByLabel('Name').and(focused).waitFor()
  await page.keyboard.type('Tea')
  await page.keyboard.press('Enter')
  await link(page, 'Tea').waitFor()
  await dialog(page, 'New folder').waitFor({ state: 'detached' })

  await pages(page).getByRole('button', { name: 'Menu of Tea' }).focus()
  await page.keyboard.press('Enter')
  await chosen.and(focused).filter({ hasText: 'Rename' }).waitFor()
  await page.keyboard.press('Enter')
  await dialog(page, 'Rename Tea').getByLabel('Name').and(focused).waitFor()
  await page.keyboard.press('Escape')
  await pages(page).getByRole('button', { name: 'Menu of Tea' }).and(focused).waitFor()
  await page.keyboard.press('Enter')
  await chosen.and(focused).filter({ hasText: 'Rename' }).waitFor()
  await page.keyboard.press('Enter')
  await dialog(page, 'Rename Tea').getByLabel('Name').and(focused).waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Coffee')
  await page.keyboard.press('Enter')
  await link(page, 'Coffee').and(focused).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Coffee' }).waitFor()

  await palette('Delete the folder Coffee')
  await dialog(page, 'Delete Coffee?').getByText('It is empty.').waitFor()
  await dialog(page, 'Delete Coffee?').getByRole('button', { name: 'Delete folder' }).focus()
  await page.keyboard.press('Enter')
  await says(page, 'Folder Coffee deleted')
  await link(page, 'Inbox').and(focused).waitFor()
  assert.deepEqual(await own(box), [])
  await page.keyboard.press('z')
  await link(page, 'Coffee').waitFor()
  assert.deepEqual(await own(box), ['Coffee'])
})

test('what is wrong with a name is said at its field, and what was typed stays', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(at(box, 'inbox'))
  const wrong = async (name: string, typed: string, action: string, said: string) => {
    const field = dialog(page, name).getByLabel('Name')
    await field.fill(typed)
    await dialog(page, name).getByRole('button', { name: action }).click()
    await dialog(page, name).getByText(said).waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(await field.inputValue(), typed)
  }
  await choose(page, 'Sky', 'New folder within it')
  assert.equal(await dialog(page, 'New folder').getByLabel('Name').inputValue(), 'Sky/')
  await wrong('New folder', 'Sky/*', 'Make folder', 'must not hold * or %')
  await wrong('New folder', 'Sky', 'Make folder', 'There is a folder Sky already')
  await wrong('New folder', 'INBOX', 'Make folder', 'There is a folder Inbox already')
  await visitor.assertSoundByDayAndNight()
  await page.keyboard.press('Escape')
  await dialog(page, 'New folder').waitFor({ state: 'detached' })
  await choose(page, 'Sky', 'Rename')
  await wrong('Rename Sky', 'Projects', 'Rename', 'There is a folder "Projects" already')
  assert.deepEqual(await own(box), ['Projects', 'Projects/Apollo', 'Sky'])
})

test('mail moves to a folder that is made for it, and an impossible name is said before anything moves', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', text: 'Look.' })
  await box.receive({ subject: 'The moon', text: 'Look.' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(at(box, 'inbox'))
  await row(page, 'The moon').getByRole('checkbox').check()
  const menu = async (typed: string, item: string) => {
    await page.keyboard.press('v')
    await page.getByRole('menuitem', { name: 'Archive' }).waitFor()
    await dialog(page, 'Move').locator('input').and(page.locator(':focus')).waitFor()
    await page.keyboard.type(typed)
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await menu('~Sky', 'New folder ~Sky')
  const asked = dialog(page, 'New folder')
  await asked.getByText('A folder must not begin with ~').waitFor()
  assert.equal((await box.states()).length, 2)
  await visitor.assertSound()
  await asked.getByLabel('Name').fill('Sky')
  await asked.getByRole('button', { name: 'Make folder and move' }).click()
  await says(page, 'moved to Sky')
  await row(page, 'The moon').waitFor({ state: 'detached' })
  assert.deepEqual(
    (await box.states('Sky')).map(({ subject }) => subject),
    ['The moon'],
  )
  await row(page, 'The engine').getByRole('checkbox').check()
  await menu('', 'New folder…')
  await asked.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Oil')
  await page.keyboard.press('Enter')
  await says(page, 'moved to Oil')
  assert.deepEqual(await own(box), ['Oil', 'Sky'])
})

test('filters that would make a folder again are named before it is renamed or deleted', async () => {
  const box = await furnished()
  const bills = { name: 'Bills', field: 'subject', op: 'contains', value: 'x', action: 'move', argument: 'Sky' }
  assert.equal((await box.organization.request('POST', '/v1/filters', bills)).status, 201)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(at(box, 'inbox'))
  for (const [item, name] of [
    ['Rename', 'Rename Sky'],
    ['Delete', 'Delete Sky?'],
  ] as const) {
    await choose(page, 'Sky', item)
    await dialog(page, name).getByText('make it again when they match: Bills').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page, name).waitFor({ state: 'detached' })
  }
})

for (const level of ['read', 'change'] as const) {
  test(`of a shared mailbox that a member may ${level}, folders are ${level === 'read' ? 'shown alone' : 'changed'}`, async () => {
    const box = await furnished()
    const { organization, memberId, address } = box
    const bob = (await organization.mailbox('bob')).address
    const { id } = await organization.member(bob)
    const ada = await signIn(organization, memberId)
    assert.equal((await ada.request('PUT', `/v1/mailboxes/${address}/access/${id}`, { level })).status, 200)
    await using visitor = await Visitor.signIn(browser, organization, id)
    const { page } = visitor
    await visitor.open(at(box, 'Sky'))
    await link(page, 'Projects/Apollo 2 unread').waitFor()
    // Of the member's own mailbox it is there, so it is loaded.
    await pages(page)
      .getByRole('button', { name: `New folder in ${bob}` })
      .waitFor()
    const most = level === 'read' ? 0 : 1
    assert.equal(
      await pages(page)
        .getByRole('button', { name: `New folder in ${address}` })
        .count(),
      most,
    )
    assert.equal(await pages(page).getByRole('button', { name: 'Menu of Sky' }).count(), most)
    await page.keyboard.press('Control+k')
    const entries = page.getByRole('dialog', { name: 'Go to' }).getByRole('menuitem')
    await entries.filter({ hasText: `New folder in ${bob}` }).waitFor()
    for (const name of [`New folder in ${address}`, 'Rename the folder Sky', 'Delete the folder Sky'])
      assert.equal(await entries.filter({ hasText: name }).count(), most, name)
    await visitor.assertSound()
  })
}
