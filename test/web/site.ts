import { after, afterEach } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { endsLast, sharedMark } from '#test/runner/kept.ts'
import { World, type WorldOptions } from '#test/world/world.ts'
import { endVisits, openBrowser, type Visitor } from './browser.ts'
import { type Box, reader } from './mailbox.ts'

/** The browser of all files of this process. */
let shared: Browser | undefined

export interface Site {
  readonly world: World
  readonly browser: Browser
  /** A browser of a mailbox's member, who is signed in; at a path, if one is given. */
  visit(box: Box, path?: string, options?: BrowserContextOptions): Promise<{ visitor: Visitor; page: Page }>
}

/** A service that serves the web app, for the tests of one file, and a browser, whose visitors leave after each test. */
export async function startSite(options: WorldOptions = {}): Promise<Site> {
  const world = await World.start({ web: true, ...options })
  after(() => world[Symbol.asyncDispose]())
  afterEach(endVisits)
  const browser = await browserOfAll()
  const visit: Site['visit'] = async (box, path, windowOptions) => {
    const visitor = await reader(browser, box, windowOptions)
    if (path !== undefined) await visitor.open(path)
    return { visitor, page: visitor.page }
  }
  return { world, browser, visit }
}

async function browserOfAll(): Promise<Browser> {
  if (shared?.isConnected()) return shared
  const browser = await openBrowser(sharedMark)
  if (endsLast(() => browser.close())) shared = browser
  else after(() => browser.close())
  return browser
}
