import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtWeb } from '#/web/build.ts'
import type { Visitor } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { Address, otherBuild } from '#test/web/other-build.ts'
import { startSite } from '#test/web/site.ts'
import { World } from '#test/world/world.ts'

const { world, browser } = await startSite()

/** What Chromium says of parts that are not there, and of a service that does not answer. */
function assertOnlyNotLoaded(visitor: Visitor): void {
  const others = visitor.errors
    .splice(0)
    .filter((error) => !/dynamically imported module|could not be loaded|Refused to apply style/.test(error))
  assert.deepEqual(others, [])
}

/** A member's browser at an address where the service can be cut off. */
const readerAt = async ({ base }: Address) => reader(browser, await boxOf(world), { baseURL: base })

test('a page that cannot be loaded is shown once the service answers again, and the app stays until then', async () => {
  await using address = await Address.of(world.base)
  await using visitor = await readerAt(address)
  const { page } = visitor
  await visitor.open('/labels')
  address.cut(undefined)
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'The service cannot be reached' }).waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('That failed: The service cannot be reached').waitFor()
  assertOnlyNotLoaded(visitor)
  await visitor.assertSoundAnywhere()
  address.cut(world.base)
  await page.getByRole('searchbox').waitFor()
  await visitor.assertSound()
})

test('a part that cannot be loaded is named, the rest of the page stays, and keys go on', async () => {
  await using address = await Address.of(world.base)
  await using visitor = await readerAt(address)
  const { page } = visitor
  await visitor.open('/labels')
  address.cut(undefined)
  const said = page.getByRole('region', { name: 'What was done' })
  for (const [key, name] of [
    ['Control+k', 'The command palette'],
    ['?', 'The list of shortcuts'],
    ['c', 'The composer'],
  ] as const) {
    await page.keyboard.press(key)
    await said.getByText(`${name} could not be loaded: the service cannot be reached.`).waitFor()
    await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor()
  }
  assertOnlyNotLoaded(visitor)
  await visitor.assertSoundAnywhere()
  address.cut(world.base)
  await said.getByRole('button', { name: 'Load the page again' }).first().click()
  await said.waitFor({ state: 'detached' })
  await visitor.loaded()
  await page.keyboard.press('c')
  await page.getByRole('textbox', { name: 'Subject' }).waitFor()
  await visitor.assertSound()
})

test('after an upgrade an open page says so, and one whose parts are gone loads itself again', async () => {
  const built = (await builtWeb()).directory
  assert.ok(built)
  const directory = await mkdtemp(join(tmpdir(), 'build-'))
  await rm(directory, { recursive: true })
  await otherBuild(built, directory)
  await using upgraded = await World.start({ web: directory })
  await rm(directory, { recursive: true })
  await using address = await Address.of(world.base)
  await using visitor = await readerAt(address)
  const { page } = visitor
  const scripts = () => page.evaluate<string[]>('Array.from(document.scripts, ({ src }) => src)')
  await visitor.open('/labels')
  const before = await scripts()
  address.cut(upgraded.base)
  await page.getByText('Mailroom was upgraded.').waitFor()
  await visitor.assertSoundAnywhere()
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('searchbox').waitFor()
  const after = await scripts()
  assert.equal(after.length, before.length)
  assert.deepEqual(
    after.filter((script) => before.includes(script)),
    [],
  )
  assertOnlyNotLoaded(visitor)
  await visitor.assertSound()
})
