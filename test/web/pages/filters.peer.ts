import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { FilterRunner } from '#/rules/filters/runs/runner.ts'
import { click, dialog, fillIn, press } from '#test/web/app.ts'
import { phone } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { each } from '#test/world/each.ts'
import { signIn } from '#test/world/members/signed-in.ts'

let runner: FilterRunner | undefined
after(() => runner?.[Symbol.asyncDispose]()) // before the service ends
const { world, visit } = await startSite()
const { db, foreground } = world
runner = new FilterRunner({ db, foreground, embedded: world.database.embedded, log: pino({ level: 'silent' }) })
runner.start()

const engine = { field: 'subject', op: 'contains', value: 'engine', action: 'star' }

/** A member's browser, who has filters beside those of the organization. */
async function arrive(names: readonly string[], own: readonly string[] = [], role: 'owner' | 'member' = 'owner') {
  const box = await boxOf(world, role)
  const ada = await signIn(box.organization, box.memberId)
  for (const name of names) await box.make('/v1/filters', { name, ...engine })
  for (const name of own) await box.make('/v1/me/filters', { name, ...engine }, ada)
  const stored = async (path: string) => each((await ada.request('GET', path)).body.data, 'name')
  return { box, ada, stored, ...(await visit(box, '/filters')) }
}

/** The answer to a change of a filter. */
const changed = async (page: Page, change: Promise<void>) => {
  const answer = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await change
  assert.equal((await answer).status(), 200)
}

/** Moves a filter behind all others of its list, by the keyboard. */
async function moveToEnd(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Move ${name}`, exact: true }).focus()
  await page.keyboard.press('Enter')
  // Moving begins with the next frame.
  await page.locator('[data-drop-target]').first().waitFor({ state: 'attached' })
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
}

test('a filter whose label was deleted says that it does nothing, and is not run on old mail', async () => {
  const { box, visitor, page } = await arrive(['Boss'])
  const { keyword } = await box.make('/v1/labels', { name: 'Invoices', colour: 'green' })
  await box.make('/v1/filters', { name: 'Bills', ...engine, action: 'label', argument: keyword })
  const marked = page.getByRole('row').filter({ hasText: 'Its label was deleted, so it has no effect' })
  await page.getByRole('button', { name: 'On old mail: Bills' }).waitFor()
  assert.equal(await marked.count(), 0)
  await visitor.open('/labels')
  await fillIn(page, 'Delete Invoices', {}, 'Delete label')
  await page.getByRole('row', { name: /Invoices/ }).waitFor({ state: 'detached' })
  // Without a reload: the page refetches filters when labels change.
  await page.getByRole('link', { name: 'Filters' }).click()
  await marked.filter({ hasText: 'Bills' }).waitFor()
  assert.equal(await marked.count(), 1)
  await visitor.assertSoundAnywhere()
  assert.equal(await page.getByRole('button', { name: 'On old mail: Bills' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'On old mail: Boss' }).count(), 1)
})

test('the pointer drags a filter to its place', async () => {
  const { page, stored } = await arrive(['First', 'Second', 'Third'])
  const rows = page.getByRole('grid', { name: 'Filters of the organization' }).getByRole('row')
  for (const [moved, beside, where, order] of [
    ['Third', 'First', 'before', ['Third', 'First', 'Second']],
    ['Third', 'First', 'after', ['First', 'Third', 'Second']],
    ['First', 'Second', 'after', ['Third', 'Second', 'First']],
  ] as const) {
    const target = rows.filter({ hasText: beside })
    const { height = 0 } = (await target.boundingBox()) ?? {}
    const targetPosition = { x: 200, y: where === 'before' ? 3 : height - 3 }
    await changed(page, rows.filter({ hasText: moved }).dragTo(target, { targetPosition }))
    for (const [at, name] of order.entries()) await rows.nth(at).filter({ hasText: name }).waitFor()
    assert.deepEqual(await stored('/v1/filters'), order)
  }
})

test('filters of the organization and one’s own are beside each other, and numbered in the order in which they run', async () => {
  const { box, page, stored } = await arrive(['First', 'Second'], ['First own', 'Second own'])
  const main = page.getByRole('main')
  await main.getByRole('region', { name: box.organization.name }).getByText('These run first').waitFor()
  await main.getByRole('region', { name: 'Your own' }).getByText('These run last').waitFor()
  const lists = main.getByRole('grid')
  const shown = async (...names: readonly string[]) => {
    for (const [at, name] of names.entries()) await lists.getByRole('row').nth(at).filter({ hasText: name }).waitFor()
    const rows = (await lists.getByRole('row').allInnerTexts()).map(
      (text) => text.replace(/\s*⠿\s*/, ' ').split('\n')[0],
    )
    assert.deepEqual(
      rows,
      names.map((name, at) => `${at + 1} ${name}`),
    )
  }
  await shown('First', 'Second', 'First own', 'Second own')
  const boxes = async () => [await lists.first().boundingBox(), await lists.last().boundingBox()] as const
  const [left, right] = await boxes()
  assert.ok(left && right && left.y === right.y && left.x + left.width <= right.x, JSON.stringify([left, right]))

  await changed(page, moveToEnd(page, 'First'))
  await shown('Second', 'First', 'First own', 'Second own')
  await changed(page, moveToEnd(page, 'First own'))
  await shown('Second', 'First', 'Second own', 'First own')
  assert.deepEqual(await stored('/v1/filters'), ['Second', 'First'])
  assert.deepEqual(await stored('/v1/me/filters'), ['Second own', 'First own'])

  await page.setViewportSize(phone.viewport)
  const [above, below] = await boxes()
  assert.ok(above && below && above.y + above.height <= below.y, JSON.stringify([above, below]))
})

test('a member tries filters of their own after those of the organization', async () => {
  const { box, ada, visitor, page } = await arrive(['First'], ['First own'], 'member')
  const open = page.getByRole('dialog')
  await box.make('/v1/labels', { name: 'Invoices' })
  for (const name of ['Tea', 'Invoices']) await box.make('/v1/me/labels', { name }, ada)
  await visitor.open('/filters')
  await click(page, 'New own filter')
  await open.getByLabel('Name').fill('Second own')
  await open.getByLabel('Text', { exact: true }).fill('tea')
  await open.getByRole('button', { name: /Invoices/ }).click()
  const labels = await page.getByRole('option').allTextContents()
  assert.deepEqual(labels, ['Invoices', 'Tea (your own)', 'Invoices (your own)'])
  await page.getByRole('option', { name: 'Tea' }).click()
  await press(page, 'Create')
  await page.getByRole('row', { name: 'Second own' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Move/ }).count(), 2)
  await fillIn(page, 'Try on a message', { Subject: 'engine' }, 'Try')
  const matching = open.getByRole('listitem')
  await matching.filter({ hasText: 'First own' }).waitFor()
  const names = (await matching.allTextContents()).map((text) => text.replace(/ matches.*/, ''))
  assert.deepEqual(names, ['First', 'First own'])
  await visitor.assertSoundAnywhere()
})

/** A member's browser at their filters, which came after their old mail. */
async function arriveLate() {
  const box = await boxOf(world)
  for (const subject of ['Invoice 1', 'Lunch', 'Invoice 2']) await box.receive({ subject })
  for (const [name, value, action] of [
    ['Bills', 'invoice', 'star'],
    ['Lunches', 'lunch', 'read'],
  ])
    await box.make('/v1/filters', { ...engine, name, value, action })
  return { box, ...(await visit(box, '/filters')) }
}

const starred = async (box: Box) => (await box.states()).filter((one) => one.starred).length

test('a filter is tried on old mail, run, and undone', async () => {
  const { box, visitor, page } = await arriveLate()
  const says = (text: string | RegExp) => dialog(page).getByText(text).waitFor()
  await click(page, 'On old mail: Bills')
  await dialog(page).getByText(box.address).click()
  await dialog(page).getByLabel('Archive').press(' ')
  await dialog(page).getByLabel('Other folders').fill('a//b')
  await press(page, 'Preview')
  await says(/A folder is a path of names/)
  await dialog(page).getByLabel('Other folders').fill('')
  await press(page, 'Preview')
  await says('2 match, 2 would be changed: 2 starred.')
  const sample = dialog(page).getByRole('list', { name: 'Messages that match' }).getByRole('listitem')
  assert.equal(await sample.count(), 2)
  await sample.filter({ hasText: 'Invoice 1' }).getByText('Bills matches').waitFor()
  await visitor.assertSoundAnywhere()
  assert.equal(await starred(box), 0)

  await press(page, 'Run')
  await says('2 match, 2 were changed: 2 starred.')
  assert.equal(await starred(box), 2)
  await press(page, 'Undo all of it')
  await says('It is undone: 2 messages are as before.')
  assert.equal(await starred(box), 0)
  await press(page, 'Close')
  const runs = page.getByRole('list', { name: 'Runs on old mail' }).getByRole('listitem')
  await runs.filter({ hasText: 'Bills' }).getByText('Done').waitFor()
})

test('all filters run on old mail, are stopped, and say what went wrong', async () => {
  const { visitor, page } = await arriveLate()
  await fillIn(page, 'Run all on old mail', {}, 'Preview')
  await dialog(page).getByText('3 match, 3 would be changed').waitFor()
  // What the service says of a run from now on: it is under way until it is stopped, and a step has failed.
  let stopped = false
  await page.route(/\/v1\/filter-runs\/[^/]+(\/cancel)?$/, async (route) => {
    const response = await route.fetch()
    if (route.request().method() === 'POST') stopped = true
    const run = await response.json()
    // The preview shows all its counts a moment before it is done, so it may be asked for once more.
    if (run.preview) return route.fulfill({ response })
    const under_way = { state: 'running', finished_at: null, last_error: 'The mail server is away' }
    const over = { state: 'cancelled', finished_at: run.created_at, last_error: null }
    await route.fulfill({ response, json: { ...run, ...(stopped ? over : under_way), seen: 1 } })
  })
  await press(page, 'Run')
  await dialog(page).getByText('1 of 3 messages looked at').waitFor()
  await dialog(page).getByText('The mail server is away. It is tried again.').waitFor()
  await visitor.assertSoundAnywhere()
  const answered = page.waitForResponse(/\/cancel$/)
  await press(page, 'Stop it')
  await answered
  await dialog(page).getByText('It was stopped.').waitFor()
})

test('where the service cannot be reached, the page says so and keeps what was chosen', async () => {
  const { box, page } = await arriveLate()
  await click(page, 'On old mail: Lunches')
  await dialog(page).getByText(box.address).click()
  await page.context().setOffline(true)
  await press(page, 'Preview')
  await dialog(page).getByRole('alert').waitFor()
  assert.ok(await dialog(page).getByLabel(box.address).isChecked())
  await page.context().setOffline(false)
  await press(page, 'Preview')
  await dialog(page).getByText('1 matches, 1 would be changed: 1 marked read.').waitFor()
})
