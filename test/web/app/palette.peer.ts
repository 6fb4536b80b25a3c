import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  body,
  choose,
  closeByEscape,
  composer,
  dialog,
  focusOn,
  openConversation,
  pathOf,
  says,
} from '#test/web/app.ts'
import { furnished } from '#test/web/furnished.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { pageActions, pages } from '../../../web/src/app/navigation.ts'

const { world, visit, arrive } = await startSite()

const palette = (page: Page) => dialog(page, 'Go to')

async function entries(page: Page): Promise<string[]> {
  await page.keyboard.press('Control+k')
  await palette(page).getByRole('menuitem').first().waitFor()
  await focusOn(palette(page).locator('input'))
  return await palette(page).getByRole('menuitem').allTextContents()
}

/** Those of the names that no entry begins with. */
const missing = (shown: readonly string[], names: readonly string[]) =>
  names.filter((name) => !shown.some((entry) => entry.startsWith(name)))

test('the palette has every page, mailbox, label and action', async () => {
  const box = await boxOf(world)
  await box.make('/v1/labels', { name: 'Invoices' })
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  const { visitor, page } = await visit(box, pathOf(box))
  await openConversation(page, 'The engine')
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
  const named = links.map((link) => (link === box.address ? 'Your profile' : link.replace(/[\d\s]*(?:unread)?$/, '')))
  const actions = [
    ...['Write a message', 'Show the keys', 'Sign out', 'Archive', 'Junk', 'Delete', 'Mark as unread', 'Star', 'Label'],
    ...['Move', 'Reply', 'Reply to all', 'Forward', 'Print', 'Newer conversation', 'Older conversation'],
    ...['Back to the list', ...pageActions.map(({ name }) => name)],
  ]
  assert.deepEqual(missing(await entries(page), [...named, 'Invoices', ...actions]), [])
  await visitor.assertSoundAnywhere()
  await closeByEscape(page, palette(page))

  await choose(page, 'Star')
  await says(page, 'Conversation starred')
  assert.equal((await box.states())[0]?.starred, true)
  assert.deepEqual(missing(await entries(page), ['Undo what was done last']), [])
  await closeByEscape(page, palette(page))
  await choose(page, 'Move')
  await dialog(page, 'Move').getByRole('menuitem', { name: 'Archive' }).waitFor()
  await closeByEscape(page, dialog(page, 'Move'))
  await choose(page, 'Reply to all')
  await focusOn(body(page))
  await closeByEscape(page, composer(page))
  await choose(page, 'Show the keys')
  await dialog(page, 'Keys').waitFor()
})

test('the palette does from anywhere what a page does', async () => {
  const { page } = await arrive('/changes')
  for (const { to, name } of pageActions) {
    await choose(page, name)
    await dialog(page).waitFor()
    assert.equal(new URL(page.url()).pathname, to, name)
    await closeByEscape(page, dialog(page))
  }
})

test('the palette has every mailbox and webhook, and every button of the page that is open, by their names', async () => {
  const { members, desk } = await furnished(world)
  const owner = members.get('owner') as Box
  const hook = await desk.make('/v1/webhooks', { name: 'Help desk', url: 'https://desk.example/' })
  const { visitor, page } = await visit(owner)
  for (const path of [...pages.map(({ to }) => to), '/profile', `/mailboxes/${desk.address}`, `/webhooks/${hook.id}`]) {
    world.clock.advance(10_000)
    await visitor.open(path)
    const buttons = await page
      .getByRole('main')
      .getByRole('button', { disabled: false })
      .evaluateAll((all) =>
        all
          .filter((one) => one.getAttribute('aria-haspopup') !== 'listbox')
          .map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim() ?? ''),
      )
    await page.keyboard.press('Control+k')
    for (const name of [`${desk.address} Mailbox`, `${owner.address} Mailbox`, 'Help desk Webhook'])
      await palette(page).getByRole('menuitem', { name }).waitFor()
    // What several do by the same name is not there.
    const single = buttons.filter((name) => buttons.indexOf(name) === buttons.lastIndexOf(name))
    assert.deepEqual(missing(await palette(page).getByRole('menuitem').allTextContents(), single), [], path)
    await closeByEscape(page, palette(page))
  }
  for (const [name, button, opened] of [
    [desk.address, 'Change auto-reply', `Auto-reply of ${desk.address}`],
    ['Help desk', 'New secret', 'Make a new secret?'],
  ] as const) {
    await choose(page, name)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByRole('button', { name: button }).waitFor()
    await choose(page, button)
    await closeByEscape(page, dialog(page, opened))
  }
})

test('of many entries the palette shows some, and finds the others by what is typed', async () => {
  const box = await boxOf(world)
  const labels = Array.from({ length: 400 }, (_, n) => ({
    ...{ organization_id: box.organization.id, member_id: null, colour: 'green' },
    ...{ name: `Label ${n}`, name_key: `label ${n}`, keyword: `label-${n}` },
  }))
  await world.db.insertInto('labels').values(labels).execute()
  const { page } = await visit(box, '/labels')
  // Of the last label that the page shows.
  const last = page.getByRole('button', { name: /^Delete Label/ }).last()
  const name = (await last.getAttribute('aria-label')) ?? (await last.textContent()) ?? ''
  const shown = await entries(page)
  assert.equal(shown.length, 200)
  assert.deepEqual(missing(shown, [name]), [name])
  await page.keyboard.type(name.toLowerCase())
  await palette(page).getByRole('menuitem', { name }).first().waitFor()
  await palette(page).getByRole('menuitem').filter({ hasNotText: name }).first().waitFor({ state: 'detached' })
})

test('the palette offers members what they may do', async () => {
  const { page } = await arrive('/labels', { role: 'member' })
  const others = ['New label', 'New filter', 'Block senders', 'Add a domain', 'Add a member', 'New API key']
  const own = ['New own label', 'New own filter', 'Block for yourself', 'Your profile']
  assert.deepEqual(missing(await entries(page), [...others, ...own]), others)
})
