import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { World, type WorldOptions } from '#test/world/world.ts'
import { openBrowser } from './browser.ts'

/** A service that serves the web app, and a browser, for the tests of one file. */
export async function startSite(options: WorldOptions = {}): Promise<{ world: World; browser: Browser }> {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await World.start({ web: true, ...options }))
  const browser = starting.use(await openBrowser())
  const site = starting.move()
  after(() => site.disposeAsync())
  return { world, browser }
}
