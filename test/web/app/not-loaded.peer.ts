import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

test('a part of a page that cannot be loaded is said, and the rest of the page stays', async () => {
  await using visitor = await reader(browser, await boxOf(world))
  const { page } = visitor
  await page.route(/\/assets\/(?:composer|palette)-[^/]*\.js$/, (route) => route.abort())
  await visitor.open('/labels')
  const said = page.getByRole('region', { name: 'What was done' })
  for (const [key, name] of [
    ['c', 'The composer'],
    ['Control+k', 'The command palette'],
  ] as const) {
    await page.keyboard.press(key)
    await said
      .getByText(`${name} could not be loaded. You are offline, or the service was upgraded meanwhile.`)
      .waitFor()
    await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor()
  }
  assert.ok(
    visitor.errors.every((error) => error.includes('dynamically imported module')),
    `${visitor.errors}`,
  )
  visitor.errors.length = 0
  await visitor.assertSoundByDayAndNight()
  await page.unrouteAll()
  await said.getByRole('button', { name: 'Load the page again' }).first().click()
  await said.waitFor({ state: 'detached' })
  await visitor.loaded()
  await page.keyboard.press('c')
  await page.getByRole('textbox', { name: 'Subject' }).waitFor()
  await visitor.assertSound()
})

test('a page that cannot be loaded says so, and is there once it can be', async () => {
  await using visitor = await reader(browser, await boxOf(world))
  const { page } = visitor
  await page.route(/\/assets\/search-[^/]*\.js$/, (route) => route.abort())
  await visitor.open('/labels')
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor()
  assert.ok(
    visitor.errors.every((error) => error.includes('dynamically imported module')),
    `${visitor.errors}`,
  )
  visitor.errors.length = 0
  await visitor.assertSoundByDayAndNight()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Load the page again' }).click()
  await page.getByRole('searchbox').waitFor()
  await visitor.assertSound()
})
