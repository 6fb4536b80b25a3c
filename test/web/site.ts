import { after, afterEach } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { foundBuild } from '#/app/web/build.ts'
import { endsLast, sharedMark } from '#test/runner/kept.ts'
import { World, type WorldOptions } from '#test/world/world.ts'
import { endVisits, openBrowser, Visitor } from './browser.ts'
import { type Box, boxOf } from './mailbox.ts'

/** The browser of all files of this process. */
let shared: Browser | undefined

interface Visit {
  readonly visitor: Visitor
  readonly page: Page
}

export interface Site {
  readonly world: World
  readonly browser: Browser
  /** A browser of a mailbox's member, who is signed in; at a path, if one is given. */
  visit(box: Box, path?: string, options?: BrowserContextOptions): Promise<Visit>
  /** The same of the only member of an organization. */
  arrive(
    path?: string | ((box: Box) => string),
    options?: BrowserContextOptions & { readonly role?: 'owner' | 'member' },
  ): Promise<Visit & { readonly box: Box }>
}

/** A service that serves the web app, for the tests of one file, and a browser, whose visitors leave after each test. */
export async function startSite(options: WorldOptions = {}): Promise<Site> {
  const world = await World.start({ web: await foundBuild(), ...options })
  after(() => world[Symbol.asyncDispose]())
  afterEach(endVisits)
  const browser = await browserOfAll()
  const visit: Site['visit'] = async (box, path, windowOptions) => {
    const visitor = await Visitor.signIn(browser, box.organization, box.memberId, windowOptions)
    if (path !== undefined) await visitor.open(path)
    return { visitor, page: visitor.page }
  }
  const arrive: Site['arrive'] = async (path, { role, ...windowOptions } = {}) => {
    const box = await boxOf(world, role)
    return { box, ...(await visit(box, typeof path === 'function' ? path(box) : path, windowOptions)) }
  }
  return { world, browser, visit, arrive }
}

async function browserOfAll(): Promise<Browser> {
  if (shared?.isConnected()) return shared
  const browser = await openBrowser(sharedMark)
  if (endsLast(() => browser.close())) shared = browser
  else after(() => browser.close())
  return browser
}
