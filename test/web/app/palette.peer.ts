import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { Visitor } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { pageActions, pages } from '../../../web/src/app/navigation.ts'

const { world, browser } = await startSite()

const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to' })
const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))

async function open(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await palette(page).getByRole('menuitem').first().waitFor()
  await palette(page).getByLabel('Go to').and(page.locator(':focus')).waitFor()
}

async function entries(page: Page): Promise<string[]> {
  await open(page)
  return await palette(page).getByRole('menuitem').allTextContents()
}

/** Chooses by the keyboard alone. */
async function choose(page: Page, name: string): Promise<void> {
  await open(page)
  await page.keyboard.type(name)
  await palette(page).getByRole('menuitem', { name: 'Overview' }).waitFor({ state: 'detached' })
  await palette(page).locator('[role=menuitem][data-focused]').filter({ hasText: name }).waitFor()
  await page.keyboard.press('Enter')
  await palette(page).waitFor({ state: 'detached' })
}

test('the palette has every page, mailbox, label and action', async () => {
  const box = await boxOf(world)
  await box.organization.request('POST', '/v1/labels', { name: 'Invoices' })
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.getByRole('row').first().getByRole('link').click()
  await page.getByRole('article', { name: 'Conversation' }).getByRole('region').first().waitFor()
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
  const shown = await entries(page)
  for (const link of links) {
    const name = link === box.address ? 'Your profile' : link.replace(/[\d\s]*(?:unread)?$/, '')
    assert.ok(
      shown.some((entry) => entry.startsWith(name)),
      name,
    )
  }
  assert.ok(shown.some((entry) => entry.startsWith('Invoices')))
  const actions = [
    ...['Write a message', 'Show the keys', 'Sign out', 'Archive', 'Junk', 'Delete', 'Mark as unread', 'Star', 'Label'],
    ...['Move', 'Reply', 'Reply to all', 'Forward', 'Print', 'Newer conversation', 'Older conversation'],
    ...['Back to the list', ...pageActions.map(({ name }) => name)],
  ]
  for (const name of actions)
    assert.ok(
      shown.some((entry) => entry.startsWith(name)),
      name,
    )
  await visitor.assertSoundByDayAndNight()
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })

  await choose(page, 'Star')
  await page.getByRole('alertdialog').filter({ hasText: 'Conversation starred' }).waitFor()
  assert.equal((await box.states())[0]?.starred, true)
  assert.ok((await entries(page)).some((entry) => entry.startsWith('Undo what was done last')))
  await page.keyboard.press('Escape')
  await choose(page, 'Move')
  await page.getByRole('dialog', { name: 'Move' }).getByRole('menuitem', { name: 'Archive' }).waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'Reply to all')
  await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'Show the keys')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
})

test('the palette does from anywhere what a page does', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/changes')
  for (const { to, name } of pageActions) {
    await choose(page, name)
    await dialog(page).first().waitFor()
    assert.equal(new URL(page.url()).pathname, to, name)
    await page.keyboard.press('Escape')
    await dialog(page).first().waitFor({ state: 'detached' })
  }
  await visitor.assertSound()
})

test('the palette has every mailbox and webhook, and every button of the page that is open, by their names', async () => {
  const box = await boxOf(world)
  const { organization, address } = box
  const { address: desk } = await organization.mailbox('desk')
  for (const [path, body] of [
    ['/v1/labels', { name: 'Invoices' }],
    ['/v1/filters', { name: 'Bills', field: 'subject', op: 'contains', value: 'invoice', action: 'star' }],
    ['/v1/webhooks', { name: 'Help desk', url: 'https://desk.example/' }],
  ] as const)
    assert.equal((await organization.request('POST', path, body)).status, 201)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  for (const path of [...pages.map(({ to }) => to), '/profile', `/mailboxes/${address}`, `/mailboxes/${desk}`]) {
    await visitor.open(path)
    const buttons = page.getByRole('main').getByRole('button', { disabled: false })
    const names = await buttons.evaluateAll((all) =>
      all
        .filter((one) => one.getAttribute('aria-haspopup') !== 'listbox')
        .map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim() ?? ''),
    )
    await page.keyboard.press('Control+k')
    await palette(page)
      .getByRole('menuitem', { name: `${desk} Mailbox` })
      .waitFor()
    await palette(page).getByRole('menuitem', { name: 'Help desk Webhook' }).waitFor()
    const shown = await palette(page).getByRole('menuitem').allTextContents()
    const missing = names.filter((name) => !shown.some((entry) => entry.startsWith(name)))
    assert.deepEqual(missing, [], path)
    for (const name of [`${address}Mailbox`, `${desk}Mailbox`, 'Help deskWebhook'])
      assert.ok(shown.includes(name), name)
    await page.keyboard.press('Escape')
    await palette(page).waitFor({ state: 'detached' })
  }
  await choose(page, `${address}`)
  await page.getByRole('heading', { level: 1, name: address }).waitFor()
  await page.getByRole('button', { name: 'Change auto-reply' }).waitFor()
  await choose(page, 'Change auto-reply')
  await page.getByRole('dialog', { name: `Auto-reply of ${address}` }).waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'Help desk')
  await page.getByRole('heading', { level: 1, name: 'Help desk' }).waitFor()
  await page.getByRole('button', { name: 'New secret' }).waitFor()
  await choose(page, 'New secret')
  await page.getByRole('dialog', { name: 'Make a new secret?' }).waitFor()
  await visitor.assertSound()
})

test('of many entries the palette shows some, and finds the others by what is typed', async () => {
  const box = await boxOf(world)
  const { organization } = box
  const labels = Array.from({ length: 400 }, (_, n) => ({
    ...{ organization_id: organization.id, member_id: null, colour: 'green' },
    ...{ name: `Label ${n}`, name_key: `label ${n}`, keyword: `label-${n}` },
  }))
  await world.db.insertInto('labels').values(labels).execute()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/labels')
  // Of the last label that the page shows.
  const last = page.getByRole('button', { name: /^Delete Label/ }).last()
  const name = (await last.getAttribute('aria-label')) ?? (await last.textContent()) ?? ''
  const shown = await entries(page)
  assert.equal(shown.length, 200)
  assert.ok(!shown.some((entry) => entry.startsWith(name)))
  await page.keyboard.type(name.toLowerCase())
  await palette(page).getByRole('menuitem', { name }).first().waitFor()
  await palette(page).getByRole('menuitem').filter({ hasNotText: name }).first().waitFor({ state: 'detached' })
})

test('the palette offers members what they may do', async () => {
  const { organization } = await boxOf(world)
  const { id } = await organization.member(`eve@${organization.domain}`)
  await using visitor = await Visitor.signIn(browser, organization, id)
  await visitor.open('/labels')
  const shown = await entries(visitor.page)
  for (const name of ['New label', 'New filter', 'Block senders', 'Add a domain', 'Add a member', 'New API key'])
    assert.ok(!shown.some((entry) => entry.startsWith(name)), name)
  for (const name of ['New own label', 'New own filter', 'Block for yourself', 'Your profile'])
    assert.ok(
      shown.some((entry) => entry.startsWith(name)),
      name,
    )
})
