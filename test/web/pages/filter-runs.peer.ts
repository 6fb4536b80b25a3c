import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { FilterRunner } from '#/filters/runs/runner.ts'
import { phone, wide } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

let runner: FilterRunner | undefined
after(() => runner?.[Symbol.asyncDispose]()) // before the service ends
const { world, browser } = await startSite()
runner = new FilterRunner({
  db: world.db,
  mailHost: world.mailHost,
  foreground: world.foreground,
  embedded: world.database.embedded,
  log: pino({ level: 'silent' }),
})
runner.start()

const dialog = (page: Page) => page.getByRole('dialog')

/** A mailbox with old mail, and filters that came after it. */
async function furnished(): Promise<Box> {
  const box = await boxOf(world)
  for (const subject of ['Invoice 1', 'Lunch', 'Invoice 2']) await box.receive({ subject })
  for (const body of [
    { name: 'Bills', field: 'subject', op: 'contains', value: 'invoice', action: 'star' },
    { name: 'Lunches', field: 'subject', op: 'contains', value: 'lunch', action: 'read' },
  ])
    assert.equal((await box.organization.request('POST', '/v1/filters', body)).status, 201)
  return box
}

const starred = async (box: Box) => (await box.states()).filter((one) => one.starred).length

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`a filter is tried on old mail, run, and undone, in ${what}`, async () => {
    const box = await furnished()
    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await visitor.open('/filters')
    await page.getByRole('button', { name: 'On old mail: Bills' }).click()
    await visitor.assertSound()
    await dialog(page).getByText(box.address).click()
    await dialog(page).getByLabel('Archive').press(' ')
    await dialog(page).getByLabel('Other folders').fill('a//b')
    await dialog(page).getByRole('button', { name: 'Preview' }).click()
    await dialog(page)
      .getByText(/A folder is a path of names/)
      .waitFor()
    await dialog(page).getByLabel('Other folders').fill('')
    await dialog(page).getByRole('button', { name: 'Preview' }).click()
    await dialog(page).getByText('2 match, 2 would be changed: 2 starred.').waitFor()
    const sample = dialog(page).getByRole('list', { name: 'Messages that match' }).getByRole('listitem')
    assert.equal(await sample.count(), 2)
    await sample.filter({ hasText: 'Invoice 1' }).getByText('Bills matches').waitFor()
    await visitor.assertSound()
    assert.equal(await starred(box), 0)

    await dialog(page).getByRole('button', { name: 'Run' }).click()
    await dialog(page).getByText('2 match, 2 were changed: 2 starred.').waitFor()
    assert.equal(await starred(box), 2)
    await visitor.assertSound()
    await dialog(page).getByRole('button', { name: 'Undo all of it' }).click()
    await dialog(page).getByText('It is undone: 2 messages are as before.').waitFor()
    assert.equal(await starred(box), 0)
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    const runs = page.getByRole('list', { name: 'Runs on old mail' }).getByRole('listitem')
    await runs.filter({ hasText: 'Bills' }).getByText('Done').waitFor()
    await visitor.assertSound()
  })
}

test('all filters run on old mail, are stopped, and say what went wrong', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/filters')
  await page.getByRole('button', { name: 'Run all on old mail' }).click()
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
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
  await dialog(page).getByRole('button', { name: 'Run' }).click()
  await dialog(page).getByText('1 of 3 messages looked at').waitFor()
  await dialog(page).getByText('The mail server is away. It is tried again.').waitFor()
  await visitor.assertSound()
  await dialog(page).getByRole('button', { name: 'Stop it' }).click()
  await dialog(page).getByText('It was stopped.').waitFor()
  await visitor.assertSound()
})

test('where the service cannot be reached, the page says so and keeps what was chosen', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/filters')
  await page.getByRole('button', { name: 'On old mail: Lunches' }).click()
  await dialog(page).getByText(box.address).click()
  await page.context().setOffline(true)
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await dialog(page).getByRole('alert').waitFor()
  assert.ok(await dialog(page).getByLabel(box.address).isChecked())
  await page.context().setOffline(false)
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
  await dialog(page).getByText('1 matches, 1 would be changed: 1 marked read.').waitFor()
})
