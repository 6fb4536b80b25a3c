import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, phone, wide } from '#test/web/browser.ts'
import { afterFile } from '#test/world/of-file.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const browser = await openBrowser(
  '--host-resolver-rules=MAP reference.test 127.0.0.1',
  '--proxy-bypass-list=reference.test',
)
afterFile(() => browser.close())

/** The reference, shown over plain HTTP under a name that is not this machine's own, and what it could not load. */
async function shown(options: BrowserContextOptions, { base } = world) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(0) // the time-out is that of the test
  const failed: string[] = []
  page.on('requestfailed', (request) => failed.push(request.url()))
  page.on('pageerror', (error) => failed.push(error.message))
  await page.goto(`http://reference.test:${new URL(base).port}/docs/`)
  await page.locator('.opblock').first().waitFor()
  return { page, failed, [Symbol.asyncDispose]: () => context.close() }
}

/** The operations that the page shows as one goes through it, at most five times: it has those alone that are in sight. */
async function operationsIn(page: Page, count: number): Promise<string[]> {
  const seen = new Set<string>()
  for (let rounds = 0; seen.size < count && rounds < 5; ) {
    const inSight = page.locator('.opblock-summary-control')
    for (const text of await inSight.allInnerTexts()) {
      const [, method, path] = /^(\S+)\s+(\S+)/.exec(text.replaceAll('\u200b', '')) ?? []
      seen.add(`${method} ${path}`)
    }
    const atEnd = await page.evaluate('innerHeight + scrollY >= document.documentElement.scrollHeight - 1')
    if (atEnd) rounds++
    await page.evaluate(atEnd ? 'scrollTo(0, 0)' : 'scrollBy(0, innerHeight / 2)')
    // It draws what has come into sight.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  }
  await page.evaluate('scrollTo(0, 0)')
  return [...seen]
}

test('the reference shows every operation and webhook over plain HTTP under any name', async () => {
  await using reference = await shown(wide)
  const { page, failed } = reference
  const { paths, webhooks } = await world.client.description()
  const operations = Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual((await operationsIn(page, operations.length)).sort(), operations.sort())
  assert.deepEqual(failed, [])
})

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone', phone],
] as const)
  test(`the reference is no wider than ${what}`, async () => {
    await using reference = await shown(options)
    const { page } = reference
    const widths = () => page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
    assert.deepEqual(await widths(), [options.viewport.width, options.viewport.width])
    await page.locator('.opblock-post .opblock-summary-control').first().click()
    await page.locator('.opblock.is-open .responses-table').first().waitFor()
    assert.deepEqual(await widths(), [options.viewport.width, options.viewport.width])
  })

/** Tries a request out in the page, and tells where it went and with what status it came back. */
async function triedOut(service: World) {
  const organization = await service.organization()
  await using reference = await shown(wide, service)
  const { page } = reference
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const byKey = page.locator('.auth-container', { hasText: 'http, Bearer' })
  await byKey.locator('input').fill(organization.key)
  await byKey.locator('.authorize').click()
  await byKey.locator('.btn-done').click()
  await page.locator('.opblock-get .opblock-summary-control').first().click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  const answer = page.locator('.live-responses-table .response-col_status').last()
  await answer.waitFor()
  const { origin } = new URL(await page.locator('.request-url pre').innerText())
  return { origin, status: (await answer.innerText()).slice(0, 3) }
}

test('a request can be tried out in it', async () => {
  const { port } = new URL(world.base)
  assert.deepEqual(await triedOut(world), { origin: `http://reference.test:${port}`, status: '200' })
})

test('with a public URL, a request goes there', async () => {
  const port = String(await freePort())
  const origin = `http://reference.test:${port}`
  await using service = await World.start({ env: { PORT: port, MAILROOM_PUBLIC_URL: origin } })
  assert.deepEqual(await triedOut(service), { origin, status: '200' })
})
