import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { signIn } from '#test/world/members/signed-in.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'

export const wide = { viewport: { width: 1280, height: 900 } }
/** The wide window at a zoom of 200 %. */
export const zoomed = { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }
export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

/** Far more than anything takes on a busy machine; the error names what did not come. */
const mostMs = 300_000

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Debian's headless Chromium, which takes a third less CPU, without requests to its vendor. */
export function openBrowser(...args: readonly string[]): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', ...quiet, ...args],
  })
}

/** A browser of one person, and its errors. */
export class Visitor implements AsyncDisposable {
  readonly page: Page
  /** Requests to other hosts than the service. */
  readonly strayed: string[] = []
  /** Another host that members are redirected to. Its pages may load from it; ours may not. */
  sentTo: string | undefined
  /** Errors of scripts, and what the content security policy refused. */
  readonly errors: string[] = []

  private constructor(page: Page, base: string) {
    this.page = page
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
    const { base } = organization.world
    const visitor = await Visitor.open(browser, base, options)
    const [name = '', value = ''] = (await signIn(organization, memberId)).cookie.split('=')
    await visitor.page.context().addCookies([{ name, value, url: base, httpOnly: true, sameSite: 'Lax' }])
    return visitor
  }

  /** Goes to a page, and waits until it is loaded. */
  async open(path: string): Promise<void> {
    await this.page.goto(path)
    await this.loaded()
  }

  async loaded(): Promise<void> {
    await this.page.locator('h1').first().waitFor()
    const loading = this.page.getByRole('status', { name: /^Loading/ })
    while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' })
  }

  /** Asserts no violation of axe's rules, nothing wider than the window, no errors and no requests to other hosts. */
  async assertSound(): Promise<void> {
    await this.#assertAccessible()
    const [content, window] = (await this.page.evaluate(
      '[document.documentElement.scrollWidth, innerWidth]',
    )) as number[]
    assert.equal(content, window, `${this.page.url()} is as wide as the window`)
    assert.deepEqual([this.strayed, this.errors], [[], []], this.page.url())
  }

  /** The same, and the contrast of the dark scheme, which differs in colours only. */
  async assertSoundByDayAndNight(): Promise<void> {
    await this.assertSound()
    await this.page.emulateMedia({ colorScheme: 'dark' })
    await this.#assertAccessible('color-contrast')
    await this.page.emulateMedia({ colorScheme: 'light' })
  }

  /** By one rule of axe, or by all. */
  async #assertAccessible(rule?: string): Promise<void> {
    if (!(await this.page.evaluate('"axe" in window'))) await this.page.evaluate(axe)
    // Of its rules that run, none reads style sheets. It would make those that it cannot read just then anew, as style elements
    // in a document of its own, which the page's policy refuses, and Chromium says so.
    const preload = { assets: ['media'] }
    const options = { preload, resultTypes: ['violations'], ...(rule !== undefined && { runOnly: [rule] }) }
    // What React Aria has said of a button stays in its announcer when the button is gone.
    const found = (await this.page.evaluate(
      `axe.run({ exclude: "[data-live-announcer]" }, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`,
    )) as string[]
    assert.deepEqual(found, [], this.page.url())
  }

  /** Asserts that the browser sent requests to the service only. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
    assert.deepEqual(this.strayed, [], 'requests to other hosts')
  }
}
