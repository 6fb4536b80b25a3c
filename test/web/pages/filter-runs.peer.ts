import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { FilterRunner } from '#/filters/runs/runner.ts'
import { dialog, press } from '#test/web/app.ts'
import type { Visitor } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

let runner: FilterRunner | undefined
after(() => runner?.[Symbol.asyncDispose]()) // before the service ends
const { world, visit } = await startSite()
runner = new FilterRunner({
  db: world.db,
  foreground: world.foreground,
  embedded: world.database.embedded,
  log: pino({ level: 'silent' }),
})
runner.start()

/** A member's browser at their filters, which came after their old mail. */
async function arrive(): Promise<{ box: Box; visitor: Visitor; page: Page }> {
  const box = await boxOf(world)
  for (const subject of ['Invoice 1', 'Lunch', 'Invoice 2']) await box.receive({ subject })
  for (const [name, value, action] of [
    ['Bills', 'invoice', 'star'],
    ['Lunches', 'lunch', 'read'],
  ])
    await box.make('/v1/filters', { name, field: 'subject', op: 'contains', value, action })
  return { box, ...(await visit(box, '/filters')) }
}

const starred = async (box: Box) => (await box.states()).filter((one) => one.starred).length

test('a filter is tried on old mail, run, and undone', async () => {
  const { box, visitor, page } = await arrive()
  const says = (text: string | RegExp) => dialog(page).getByText(text).waitFor()
  await page.getByRole('button', { name: 'On old mail: Bills' }).click()
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
  await visitor.assertSoundAnywhere()
  await press(page, 'Undo all of it')
  await says('It is undone: 2 messages are as before.')
  assert.equal(await starred(box), 0)
  await press(page, 'Close')
  const runs = page.getByRole('list', { name: 'Runs on old mail' }).getByRole('listitem')
  await runs.filter({ hasText: 'Bills' }).getByText('Done').waitFor()
})

test('all filters run on old mail, are stopped, and say what went wrong', async () => {
  const { visitor, page } = await arrive()
  await page.getByRole('button', { name: 'Run all on old mail' }).click()
  await press(page, 'Preview')
  await dialog(page).getByText('3 match, 3 would be changed').waitFor()
  // What the service says of a run from now on: it is under way until it is stopped, and a step has failed.
  let stopped = false
  await page.route(/\/v1\/filter-runs\/[^/]+(\/cancel)?$/, async (route) => {
    if (route.request().method() === 'POST') stopped = true
    const response = await route.fetch()
    const run = await response.json()
    // The preview shows all its counts a moment before it is done, so it may be asked for once more.
    if (run.preview) return route.fulfill({ response })
    const state = stopped ? 'cancelled' : 'running'
    const finished_at = stopped ? run.created_at : null
    const last_error = stopped ? null : 'The mail server is away'
    await route.fulfill({ response, json: { ...run, state, finished_at, seen: 1, last_error } })
  })
  await press(page, 'Run')
  await dialog(page).getByText('1 of 3 messages looked at').waitFor()
  await dialog(page).getByText('The mail server is away. It is tried again.').waitFor()
  await visitor.assertSoundAnywhere()
  await press(page, 'Stop it')
  await dialog(page).getByText('It was stopped.').waitFor()
})

test('where the service cannot be reached, the page says so and keeps what was chosen', async () => {
  const { box, page } = await arrive()
  await page.getByRole('button', { name: 'On old mail: Lunches' }).click()
  await dialog(page).getByText(box.address).click()
  await page.context().setOffline(true)
  await press(page, 'Preview')
  await dialog(page).getByRole('alert').waitFor()
  assert.ok(await dialog(page).getByLabel(box.address).isChecked())
  await page.context().setOffline(false)
  await press(page, 'Preview')
  await dialog(page).getByText('1 matches, 1 would be changed: 1 marked read.').waitFor()
})
