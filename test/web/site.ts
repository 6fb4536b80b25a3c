import { after, afterEach } from 'node:test'
import type { Browser } from 'playwright-core'
import { endsLast, sharedMark } from '#test/runner/kept.ts'
import { World, type WorldOptions } from '#test/world/world.ts'
import { endVisits, openBrowser } from './browser.ts'

/** The browser of all files of this process. */
let shared: Browser | undefined

/** A service that serves the web app, for the tests of one file, and a browser, whose visitors leave after each test. */
export async function startSite(options: WorldOptions = {}): Promise<{ world: World; browser: Browser }> {
  const world = await World.start({ web: true, ...options })
  after(() => world[Symbol.asyncDispose]())
  afterEach(endVisits)
  return { world, browser: await browserOfAll() }
}

async function browserOfAll(): Promise<Browser> {
  if (shared?.isConnected()) return shared
  const browser = await openBrowser(sharedMark)
  if (endsLast(() => browser.close())) shared = browser
  else after(() => browser.close())
  return browser
}
