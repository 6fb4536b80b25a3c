import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { AxeResults, RunOptions } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { signIn } from '#test/world/members/signed-in.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'

export const wide = { viewport: { width: 1280, height: 900 } }
/** The wide window at a zoom of 200 %. */
export const zoomed = { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }
/** The narrowest in use. */
export const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }
/** Those that differ most. */
export const windows = [
  ['a wide window by day', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const

/** Far more than anything takes on a busy machine; the error names what did not come. */
const mostMs = 300_000

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Requests of browsers to other machines, also those of no page. Browsers send them to a proxy, which does not answer. */
const askedElsewhere: string[] = []
const proxy = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', (head) => {
    askedElsewhere.push(String(head).split('\r\n', 1)[0] ?? '')
    socket.destroy()
  })
})

/** Debian's headless Chromium, which takes a third less CPU, without requests to its vendor. */
export async function openBrowser(...args: readonly string[]): Promise<Browser> {
  if (!proxy.listening) await once(proxy.listen(0, '127.0.0.1').unref(), 'listening')
  const { port } = proxy.address() as AddressInfo
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', `--proxy-server=127.0.0.1:${port}`, ...quiet, ...args],
  })
}

/** The texts and controls that the window or an element around them cuts off at a side, or that need scrolling sideways. Texts
 *  with an ellipsis, and those for screen readers alone, are left out. */
const cutOff = `(() => {
  const isSmall = ({ width, height }) => width < 2 || height < 2
  const cuts = (element, box) => {
    for (let within = element; within !== null; within = within.parentElement) {
      const { overflowX, textOverflow, position, clipPath } = getComputedStyle(within)
      const limits = within.getBoundingClientRect()
      if (textOverflow === 'ellipsis' || clipPath !== 'none' || isSmall(limits)) return false
      if (within !== element && overflowX !== 'visible' && (box.right > limits.right + 1 || box.left < limits.left - 1))
        return true
      if (position === 'fixed') break
    }
    return box.right > document.documentElement.clientWidth + 1 || box.left < -1
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (text) =>
    text.data.trim() !== '' && text.parentElement.checkVisibility({ visibilityProperty: true }) ? 1 : 3)
  const found = []
  while (texts.nextNode()) {
    const range = document.createRange()
    range.selectNodeContents(texts.currentNode)
    found.push([texts.currentNode.parentElement, range.getBoundingClientRect()])
  }
  for (const control of document.querySelectorAll('a, button, input, select, textarea, [tabindex="0"]'))
    if (control.checkVisibility({ visibilityProperty: true })) found.push([control, control.getBoundingClientRect()])
  return found
    .filter(([element, box]) => !isSmall(box) && cuts(element, box))
    .map(([element]) => element.outerHTML.slice(0, 200))
})()`

/** Runs in the page, where axe is. What React Aria has said of a button stays in its announcer when the button is gone. */
async function violations(include: unknown, options: RunOptions): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: { run(context: object, options: RunOptions): Promise<AxeResults> } }
  const found = await axe.run({ include, exclude: '[data-live-announcer]' }, options)
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** Those that nobody has sent away yet. */
const present = new Set<Visitor>()

/** Sends all visitors away. */
export async function endVisits(): Promise<void> {
  for (const visitor of present) await visitor[Symbol.asyncDispose]()
}

/** A browser of one person, and its errors. It is there until `endVisits`, which a site's tests each end with, or until it is disposed of. */
export class Visitor implements AsyncDisposable {
  readonly page: Page
  /** Requests to other hosts than the service. */
  readonly strayed: string[] = []
  /** Another host that members are redirected to. Its pages may load from it; ours may not. */
  sentTo: string | undefined
  /** Errors of scripts, and what the content security policy refused. */
  readonly errors: string[] = []
  #hasClock = false

  private constructor(page: Page, base: string) {
    this.page = page
    present.add(this)
    page.setDefaultTimeout(mostMs)
    page.on('crash', () => this.errors.push('the page crashed'))
    const { host } = new URL(base)
    // Of pages that it opens, too.
    page.context().on('request', (request) => {
      const url = new URL(request.url())
      if (['data:', 'blob:', 'about:'].includes(url.protocol) || url.host === host) return
      const isSent = request.isNavigationRequest() || new URL(request.frame().url()).host === this.sentTo
      if (url.host !== this.sentTo || !isSent) this.strayed.push(request.url())
    })
    page.on('pageerror', (error) => this.errors.push(error.message))
    page.on('console', (message) => {
      // Playwright's clock is a script in each frame, also where none may run.
      if (this.#hasClock && message.text().startsWith("Blocked script execution in 'about:srcdoc'")) return
      // Chromium logs every error response; pages show these in their own words.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.errors.push(message.text())
    })
  }

  static async open(browser: Browser, base: string, options: BrowserContextOptions = {}): Promise<Visitor> {
    const usual = { baseURL: base, locale: 'en-GB', reducedMotion: 'reduce', ...wide } as const
    const context = await browser.newContext({ ...usual, ...options })
    return new Visitor(await context.newPage(), base)
  }

  /** A browser with a session of the member, and no page yet. */
  static async signIn(
    browser: Browser,
    organization: TestOrganization,
    memberId: string,
    options?: BrowserContextOptions,
  ): Promise<Visitor> {
    const base = options?.baseURL ?? organization.world.base
    const visitor = await Visitor.open(browser, base, options)
    const [name = '', value = ''] = (await signIn(organization, memberId)).cookie.split('=')
    await visitor.page.context().addCookies([{ name, value, url: base, httpOnly: true, sameSite: 'Lax' }])
    return visitor
  }

  /** From now on the test may put the clock of the page forward, which goes on by itself too. */
  async takeClock(): Promise<void> {
    await this.page.clock.install()
    this.#hasClock = true
  }

  /** Goes to a page, and waits until it is loaded. */
  async open(path: string): Promise<void> {
    await this.page.goto(path)
    await this.loaded()
  }

  async loaded(): Promise<void> {
    await this.page.locator('h1').filter({ visible: true }).first().waitFor()
    await this.page.locator('body:not(:has([role=status][aria-label^=Loading]))').waitFor()
  }

  /** Asserts no violation of axe's rules, nothing wider than the window, no errors and no requests to other hosts. axe looks at
   *  `part` alone, if one is given: behind a dialog the page is as before. */
  async assertSound(part?: Locator): Promise<void> {
    await this.#assertAccessible(part)
    await this.assertFits()
  }

  /** The same without axe, which takes longer than all else. */
  async assertFits(): Promise<void> {
    // Not `innerWidth`: on a phone it grows with what is too wide.
    const content = await this.page.evaluate('document.documentElement.scrollWidth')
    assert.equal(content, this.page.viewportSize()?.width, `${this.page.url()} is as wide as the window`)
    assert.deepEqual(await this.page.evaluate(cutOff), [], `${this.page.url()} shows all of what it has`)
    assert.deepEqual([this.strayed, this.errors], [[], []], this.page.url())
  }

  /** The same, and the contrast of the dark scheme, which differs in colours only, and the size in a window as narrow as a phone. */
  async assertSoundAnywhere(): Promise<void> {
    await this.assertSound()
    await this.page.emulateMedia({ colorScheme: 'dark' })
    await this.page.setViewportSize(phone.viewport)
    await this.#assertAccessible(undefined, 'color-contrast')
    await this.assertFits()
    await this.page.setViewportSize(wide.viewport)
    await this.page.emulateMedia({ colorScheme: 'light' })
  }

  /** By one rule of axe, or by all. */
  async #assertAccessible(part = this.page.locator('html'), rule?: string): Promise<void> {
    if (!(await this.page.evaluate('"axe" in window'))) await this.page.evaluate(axe)
    // Of its rules that run, none reads style sheets. It would make those that it cannot read just then anew, as style elements
    // in a document of its own, which the page's policy refuses, and Chromium says so.
    const preload = { assets: ['media'] }
    // Behind a dialog the page is hidden, with its heading and its landmark.
    const isHidden = await this.page.evaluate(
      'document.querySelector("main")?.closest("[inert], [aria-hidden=true]") != null',
    )
    const ofPage = Object.fromEntries(
      ['landmark-one-main', 'page-has-heading-one'].map((id) => [id, { enabled: !isHidden }]),
    )
    const rules = rule === undefined ? { rules: ofPage } : { runOnly: [rule] }
    const options: RunOptions = { preload, resultTypes: ['violations'], ...rules }
    const found = await part.evaluate(violations, options)
    assert.deepEqual(found, [], this.page.url())
  }

  /** Asserts that no script failed, and that the browser sent requests to the service only. */
  async [Symbol.asyncDispose](): Promise<void> {
    present.delete(this)
    await this.page.context().close()
    assert.deepEqual(this.errors, [], 'errors of scripts')
    assert.deepEqual([...this.strayed, ...askedElsewhere], [], 'requests to other hosts')
  }
}
