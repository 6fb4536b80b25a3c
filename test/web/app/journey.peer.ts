import assert from 'node:assert/strict'
import { test } from 'node:test'
import { begin, conversation, dialog, focusOn, press, row, says } from '#test/web/app.ts'
import { Visitor } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

const hour = 3_600_000

test('somebody who is invited as admin signs in, makes a label, and schedules a message that arrives', async () => {
  const box = await boxOf(world)
  const { organization, address } = box
  const email = `grace@${organization.domain}`
  await using ada = await reader(browser, box)
  const { page } = ada
  await ada.open('/mailboxes')
  await page.getByRole('button', { name: 'New mailbox' }).click()
  await dialog(page).getByLabel('Name before the @').fill('grace')
  await press(page, 'Create mailbox')
  await press(page, 'Done')
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('button', { name: 'Add a member' }).click()
  await dialog(page).getByLabel('E-mail address').fill(email)
  await dialog(page).getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: /^admin/i }).click()
  await press(page, 'Add member')
  const link = await dialog(page, `A link for ${email}`).locator('code').textContent()
  await press(page, 'Done')
  await page.getByRole('row', { name: new RegExp(`${email}.*admin`) }).waitFor()
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.getByText('Your inbox is empty').waitFor()

  await using grace = await Visitor.open(browser, world.base)
  const theirs = grace.page
  await theirs.goto(link ?? '')
  await theirs.getByRole('button', { name: 'Sign in' }).click()
  await theirs.getByRole('heading', { name: 'Overview' }).waitFor()
  await theirs.getByRole('link', { name: 'Labels' }).click()
  await theirs.getByRole('button', { name: 'New label' }).click()
  await theirs.getByLabel('Name').fill('Journeys')
  await press(theirs, 'Create')
  await theirs.getByRole('row', { name: /Journeys/ }).waitFor()
  // The row may come by the live stream, before the dialog has closed, in which keys do nothing else.
  await dialog(theirs).waitFor({ state: 'detached' })

  await begin(theirs, address, 'See you', 'At nine.')
  await theirs.getByRole('button', { name: 'Send later' }).click()
  const later = dialog(theirs, 'Send later')
  await later.getByRole('button', { name: 'Tomorrow morning' }).click()
  await later.getByRole('button', { name: 'Schedule' }).click()
  await says(theirs, 'Message leaves')
  await theirs.getByRole('link', { name: 'Scheduled' }).click()
  await theirs.getByRole('row', { name: new RegExp(`See you.*${address}.*${email}.*Waiting`) }).waitFor()

  world.clock.advance(48 * hour)
  await world.rounds.processAll()
  await world.outbound.processAll()
  await row(page, 'See you').getByRole('link').click()
  await focusOn(conversation(page))
  await page.frameLocator('article iframe').getByText('At nine.').waitFor()
  for (const visitor of [ada, grace]) assert.deepEqual(visitor.errors, [])
  await grace.open('/scheduled')
  await theirs.getByText('Nothing is scheduled').waitFor()
})
