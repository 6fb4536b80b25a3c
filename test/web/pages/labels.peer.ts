import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { updateMessages } from '#/mail/update.ts'
import { closeByEscape, dialog, press, says, toast } from '#test/web/app.ts'
import type { Visitor } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, visit } = await startSite()

/** A keyword without a label, with its count. */
const orphan = (page: Page, text: RegExp) =>
  page.getByRole('region', { name: 'Keywords without a label' }).getByRole('row', { name: text })

/** Ada at her labels, with two messages that have one. */
async function arrive(): Promise<{ box: Box; visitor: Visitor; page: Page }> {
  const box = await boxOf(world)
  for (const name of ['Invoices', 'Receipts']) await box.make('/v1/labels', { name })
  for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
  const uids = (await box.states()).map(({ uid }) => uid)
  await box.change(uids, { add_labels: ['invoices'] })
  return { box, ...(await visit(box, '/labels')) }
}

const labelsOf = async (box: Box) => (await box.states()).map(({ labels }) => labels)

/** Deletes the organization's label, as a program does. */
async function deleteLabel({ organization }: Box, name: string): Promise<void> {
  const { body } = await organization.request('GET', '/v1/labels')
  const found = body.data.find((label: { name: string }) => label.name === name)
  assert.equal((await organization.request('DELETE', `/v1/labels/${found.id}`)).status, 200)
}

test('keywords without a label are adopted, or removed everywhere and put back', async () => {
  const { box, visitor, page } = await arrive()
  const mailbox = { organizationId: box.organization.id, mailboxId: box.id }
  const [{ uid = 0 } = {}] = await box.states()
  await updateMessages(world.db, mailbox, 'inbox', [uid], { addKeywords: ['read-later', '$label1'] })
  await visitor.open('/labels')
  await orphan(page, /read-later.*1 messages with read-later/).waitFor()
  await deleteLabel(box, 'Invoices')
  await orphan(page, /invoices.*2 messages with invoices/).waitFor()
  await visitor.assertSoundAnywhere()

  await page.getByRole('button', { name: 'Adopt read-later' }).press('Enter')
  assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Read later')
  await dialog(page).getByLabel('Name').fill('receipts')
  await page.keyboard.press('Enter')
  await dialog(page).locator('input[name=name][aria-invalid=true]').waitFor()
  await dialog(page).getByLabel('Name').fill('Later')
  await page.keyboard.press('Enter')
  await page
    .getByRole('region', { name: box.organization.name })
    .getByRole('row', { name: /Later.*read-later.*1 messages with Later/ })
    .waitFor()
  await page.getByRole('button', { name: 'Adopt read-later' }).waitFor({ state: 'detached' })

  await orphan(page, /\$label1 Important/).waitFor()
  await page.getByRole('button', { name: 'Adopt $label1' }).press('Enter')
  assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Important')
  await page.keyboard.press('Enter')
  await page
    .getByRole('region', { name: box.organization.name })
    .getByRole('row', { name: /Important.*\$label1/ })
    .waitFor()
  await page.getByRole('button', { name: 'Adopt $label1' }).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Remove everywhere: invoices' }).press('Enter')
  await dialog(page).getByText('It is on 2 messages that you read').waitFor()
  await press(page, 'Remove everywhere')
  await says(page, 'invoices was removed from 2 messages')
  await orphan(page, /invoices/).waitFor({ state: 'detached' })
  assert.deepEqual(await labelsOf(box), [['$label1', 'read-later'], []])
  await toast(page, 'invoices was removed').getByRole('button', { name: 'Undo' }).click()
  await says(page, 'Undone')
  await orphan(page, /invoices.*2 messages/).waitFor()
  assert.deepEqual(await labelsOf(box), [['$label1', 'invoices', 'read-later'], ['invoices']])
})

test('a label is merged into another, which its filters then set, and its messages are put back', async () => {
  const { box, page } = await arrive()
  const ada = await signIn(box.organization, box.memberId)
  const filter = { field: 'subject', op: 'contains', value: 'engine', action: 'label', argument: 'invoices' }
  await box.make('/v1/filters', { name: 'Bills', ...filter })
  await box.make('/v1/me/filters', { name: 'Mine', ...filter }, ada)
  await page.getByRole('button', { name: 'Merge Invoices into another' }).click()
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
  await page.getByRole('button', { name: 'Merge Invoices into another' }).click()
  await press(page, 'Merge labels')
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
  await page.getByRole('button', { name: 'Delete Invoices' }).click()
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
  await toast(page, 'Invoices was taken off').getByRole('button', { name: 'Undo' }).click()
  await orphan(page, /invoices.*2 messages/).waitFor()
})
