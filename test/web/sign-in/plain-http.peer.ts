import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, Visitor } from '#test/web/browser.ts'
import { World } from '#test/world/world.ts'

test('over plain HTTP on any name the pages are there, and say that one signs in over HTTPS', async () => {
  await using world = await World.start({ web: true })
  await using browser = await openBrowser(
    '--host-resolver-rules=MAP mail.example.test 127.0.0.1',
    '--proxy-bypass-list=mail.example.test',
  )
  const base = new URL(world.base)
  base.hostname = 'mail.example.test'
  await using visitor = await Visitor.open(browser, base.origin)
  await visitor.page.goto('/')
  await visitor.page.getByRole('alert').filter({ hasText: 'over HTTPS only' }).waitFor()
  // Chromium says that it leaves out this header here.
  assert.deepEqual(
    visitor.errors.splice(0).filter((error) => !error.includes('Cross-Origin-Opener-Policy')),
    [],
  )
  await visitor.assertSoundAnywhere()
  assert.equal(await visitor.page.getByRole('button', { name: 'Sign in', exact: true }).isVisible(), true)
  await using near = await Visitor.open(browser, world.base)
  await near.page.goto('/')
  await near.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  assert.equal(await near.page.getByRole('alert').count(), 0)
})
