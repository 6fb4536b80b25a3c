import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { updateMessages } from '#/mail/store/update.ts'
import * as app from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { each } from '#test/world/each.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { click, closeByEscape, dialog, fillIn, press, says, toast } = app
const { world, visit } = await startSite()

/** A keyword without a label, with its count. */
const orphan = (page: Page, text: RegExp) =>
  page.getByRole('region', { name: 'Keywords without a label' }).getByRole('row', { name: text })
const own = (page: Page) => page.getByRole('main').getByRole('region', { name: 'Your own' })

/** Ada at her labels, with two messages that have one. */
async function arrive() {
  const box = await boxOf(world)
  for (const name of ['Invoices', 'Receipts']) await box.make('/v1/labels', { name })
  for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
  await box.change({ add_labels: ['invoices'] })
  return { box, ...(await visit(box, '/labels')) }
}

const labelsOf = async (box: Box) => each(await box.states(), 'labels')

/** Deletes the organization's label, as a program does. */
async function deleteLabel(box: Box, name: string): Promise<void> {
  const { id } = (await box.listed('/v1/labels')).find((label) => label.name === name)
  await box.organization.bodyOf(200, 'DELETE', `/v1/labels/${id}`)
}

test('keywords without a label are adopted, or removed everywhere and put back', async () => {
  const { box, visitor, page } = await arrive()
  const mailbox = { organizationId: box.organization.id, mailboxId: box.id }
  const [{ uid = 0 } = {}] = await box.states()
  await updateMessages(world.db, mailbox, 'inbox', [uid], { addKeywords: ['read-later', '$label1'] })
  await visitor.open('/labels')
  await orphan(page, /\$label1 Important/).waitFor()
  await orphan(page, /read-later.*1 messages with read-later/).waitFor()
  await deleteLabel(box, 'Invoices')
  await orphan(page, /invoices.*2 messages with invoices/).waitFor()

  await click(page, 'Adopt read-later')
  const name = dialog(page).getByLabel('Name')
  assert.equal(await name.inputValue(), 'Read later')
  await name.fill('receipts')
  await page.keyboard.press('Enter')
  await dialog(page).locator('input[name=name][aria-invalid=true]').waitFor()
  await name.fill('Later')
  await page.keyboard.press('Enter')
  const labels = page.getByRole('region', { name: box.organization.name })
  await labels.getByRole('row', { name: /Later.*read-later.*1 messages with Later/ }).waitFor()
  await page.getByRole('button', { name: 'Adopt read-later' }).waitFor({ state: 'detached' })

  await click(page, 'Remove everywhere: invoices')
  await dialog(page).getByText('It is on 2 messages that you read').waitFor()
  await press(page, 'Remove everywhere')
  await says(page, 'invoices was removed from 2 messages')
  await orphan(page, /invoices/).waitFor({ state: 'detached' })
  assert.deepEqual(await labelsOf(box), [['read-later'], []])
  await toast(page, 'invoices was removed').getByRole('button', { name: 'Undo' }).click()
  await says(page, 'Undone')
  await orphan(page, /invoices.*2 messages/).waitFor()
  assert.deepEqual(await labelsOf(box), [['invoices', 'read-later'], ['invoices']])
})

test('a label is merged into another, which its filters then set, and its messages are put back', async () => {
  const { box, page } = await arrive()
  const ada = await signIn(box.organization, box.memberId)
  const filter = { field: 'subject', op: 'contains', value: 'engine', action: 'label', argument: 'invoices' }
  await box.make('/v1/filters', { name: 'Bills', ...filter })
  await box.make('/v1/me/filters', { name: 'Mine', ...filter }, ada)
  await click(page, 'Merge Invoices into another')
  await dialog(page).getByText('Invoices is on 2 messages that you read').waitFor()
  await dialog(page).getByText('2 filters that you see put Invoices on').waitFor()
  await dialog(page).getByText('Messages get Receipts instead').waitFor()
  // Somebody else has deleted that one meanwhile.
  await page.route('**/merge', async (route) => {
    await deleteLabel(box, 'Receipts')
    await route.continue()
  })
  await press(page, 'Merge labels')
  await dialog(page).getByText('There is no such label').waitFor()
  await page.unroute('**/merge')
  await closeByEscape(page, dialog(page))

  // With one label left there is none to merge it into.
  await page.getByRole('row', { name: /Receipts/ }).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('button', { name: /^Merge/ }).count(), 0)
  await box.make('/v1/labels', { name: 'Receipts' })
  await fillIn(page, 'Merge Invoices into another', {}, 'Merge labels')
  await says(page, 'Receipts replaces Invoices on 2 messages, and in 2 filters')
  await page.getByRole('row', { name: /Receipts.*2 messages with Receipts/ }).waitFor()
  assert.equal(await page.getByRole('row', { name: /Invoices/ }).count(), 0)
  assert.deepEqual(await labelsOf(box), [['receipts'], ['receipts']])
  await dialog(page).waitFor({ state: 'detached' })
  await page.keyboard.press('z')
  await says(page, 'Undone')
  await orphan(page, /invoices.*2 messages with invoices/).waitFor()
  assert.deepEqual(await labelsOf(box), [['invoices'], ['invoices']])
})

test('a label is deleted with its keyword on messages, and what takes long says how far it is', async () => {
  const { box, visitor, page } = await arrive()
  // The service continues for longer than its answer may take.
  let running = true
  await page.route('**/v1/changes/*', async (route) => {
    const response = await route.fetch()
    const change = await response.json()
    await route.fulfill({ response, json: running ? { ...change, state: 'running', messages: 1_200 } : change })
  })
  await click(page, 'Delete Invoices')
  await dialog(page).getByText('Messages keep the keyword invoices').waitFor()
  await dialog(page).getByText('it is on 2 messages that you read').click()
  await dialog(page).getByText('Undo puts the keyword back').waitFor()
  await press(page, 'Delete label')
  await toast(page, 'Taking Invoices off').getByText('1,200 messages so far').waitFor()
  await visitor.assertSoundAnywhere()
  running = false
  await says(page, 'Invoices was taken off 2 messages')
  assert.equal(await toast(page, 'Taking Invoices off').count(), 0)
  assert.deepEqual(await labelsOf(box), [[], []])
  assert.equal(await orphan(page, /./).count(), 0)
})

/** A member, with labels of their organization and their own. */
async function furnished() {
  const box = await boxOf(world, 'member')
  const ada = await signIn(box.organization, box.memberId)
  for (const name of ['Invoices', 'Gone']) await box.make('/v1/labels', { name })
  await box.make('/v1/me/labels', { name: 'Tea', colour: 'amber' }, ada)
  return { box, ada }
}

test('a member has labels of their own beside those of the organization', async () => {
  const { box, ada } = await furnished()
  const { page } = await visit(box, '/labels')
  // The organization has one of that name, too.
  await fillIn(page, 'New own label', { Name: 'Invoices' }, 'Create')
  await own(page).getByText('invoices-2').waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await fillIn(page, 'Edit Tea', { Name: 'Tea time' }, 'Save')
  await own(page).getByText('Tea time').first().waitFor()
  assert.deepEqual(each((await ada.request('GET', '/v1/me/labels')).body.data, 'name'), ['Tea time', 'Invoices'])
})

for (const [what, options] of windows)
  test(`labels of the organization, one’s own and keywords of neither are told apart in ${what}`, async () => {
    const { box, ada } = await furnished()
    await box.receive({ subject: 'The kettle', text: 'It boils.' })
    const [{ uid = 0 } = {}] = await box.states()
    const labelled = { uids: [uid], add_labels: ['invoices', 'tea', 'gone'] }
    assert.equal((await ada.request('PATCH', `/v1/messages?mailbox=${box.address}`, labelled)).status, 200)
    await deleteLabel(box, 'Gone')

    const { visitor, page } = await visit(box, app.pathOf(box), options)
    const row = app.list(page).getByRole('row', { name: /labelled .*Invoices.*The kettle|The kettle.*labelled/ })
    assert.match((await row.getAttribute('aria-label')) ?? '', /labelled (.*, )?Tea \(your own\)/)
    await row.getByText('Tea (your own)').waitFor()
    await app.openConversation(page, 'The kettle')
    const heading = page.getByRole('heading', { level: 1, name: 'The kettle' })
    await heading.getByText('gone').waitFor()
    const shapes = await page.evaluate<string[]>(`['Invoices', 'Tea (your own)', 'gone'].map((text) => {
      const chip = [...document.querySelectorAll('h1 *')].findLast((one) => one.textContent === text)
      const { borderTopLeftRadius, borderTopStyle } = getComputedStyle(chip)
      return borderTopLeftRadius + borderTopStyle
    })`)
    assert.equal(new Set(shapes).size, 3, String(shapes))
    await visitor.assertSound()
    await click(page, 'Label')
    await page.getByRole('menuitem', { name: /^Tea \(your own\)/ }).waitFor()
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Invoiceson', 'Tea (your own)on'])
    await closeByEscape(page, dialog(page, 'Label'))
    await app.choose(page, 'Tea (your own)')
  })
