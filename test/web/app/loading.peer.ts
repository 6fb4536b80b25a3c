import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { test } from 'node:test'
import { foundBuild } from '#/app/web/build.ts'
import { pathOf } from '#test/web/app.ts'
import type { Visitor } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { World } from '#test/world/world.ts'

const { world, visit, arrive } = await startSite()

/** 250 KB of script, as it is sent. Browsers take Brotli over HTTPS and on the same machine, and else gzip alone. */
const most = 250_000

const assets = join((await foundBuild()) ?? '', 'assets')
/** The script that makes a message's HTML safe, whatever the build calls it. */
const sanitizer = readdirSync(assets).find(
  (file) => file.endsWith('.js') && readFileSync(join(assets, file), 'utf8').includes('DOMPurify'),
)
assert.ok(sanitizer)

test('the first page, with all that it loads ahead, is at most 250 KB of script, in gzip too', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', html: '<p>Is it oiled?</p>' })
  for (const encoding of ['br', 'gzip']) {
    const { visitor, page } = await visit(box)
    const scripts = new Map<string, number>()
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      const url = route.request().url()
      const answer = await fetch(url, { headers: { 'accept-encoding': encoding } })
      assert.equal(answer.headers.get('content-encoding'), encoding)
      scripts.set(url, Number(answer.headers.get('content-length')))
      await answer.body?.cancel()
      await route.continue()
    })
    // What can be read next is loaded while the list rests on it.
    const ahead = page.waitForRequest((request) => request.url().endsWith(`/assets/${sanitizer}`))
    await visitor.open(pathOf(box))
    await page.getByRole('row', { name: /The engine/ }).waitFor()
    await ahead
    await page.waitForLoadState('networkidle')
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0)
    const said = `${encoding}: ${bytes} bytes in ${scripts.size} files`
    assert.ok(scripts.size > 20 && bytes > 100_000 && bytes <= most, said)
  }
})

/** Copies a build with other names of its files, as a build of other sources has them. */
async function otherBuild(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true })
  const assets = join(to, 'assets')
  const names = await readdir(assets)
  const others = new Map(
    names.filter((name) => !/\.(?:br|gz)$/.test(name)).map((name) => [name, name.replace(/.{4}(?=\.\w+$)/, '0000')]),
  )
  const renamed = (text: string) =>
    text.replaceAll(/[\w.-]+-[\w-]{8}\.(?:js|css|svg)/g, (name) => others.get(name) ?? name)
  for (const name of names) if (!others.has(name)) await rm(join(assets, name))
  for (const [name, other] of others) {
    const file = join(assets, name)
    if (extname(name) !== '.svg') await writeFile(file, renamed(await readFile(file, 'utf8')))
    await rename(file, join(assets, other))
  }
  const page = join(to, 'index.html')
  await writeFile(page, renamed(await readFile(page, 'utf8')))
}

/** An address at which one service answers after another: an upgrade, or none for a while. */
class Address implements AsyncDisposable {
  /** The pages are of this service; undefined while nobody answers. */
  pagesOf: string | undefined
  readonly #base: string
  readonly #server = createServer((asked, answer) => {
    if (this.pagesOf === undefined) return void asked.socket.destroy()
    const isPage = asked.url?.startsWith('/assets/') || asked.headers.accept?.includes('text/html')
    const to = new URL(asked.url ?? '/', isPage ? this.pagesOf : this.#base)
    const passed = request(to, { method: asked.method, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers)
      got.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })

  private constructor(base: string) {
    this.#base = base
    this.pagesOf = base
  }

  /** All but the pages is that of `base`. */
  static async of(base: string): Promise<Address> {
    const address = new Address(base)
    const { promise, resolve } = Promise.withResolvers<void>()
    address.#server.listen(0, '127.0.0.1', resolve)
    await promise
    return address
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The service ends, or is started again with another build. */
  cut(pagesOf: string | undefined): void {
    this.pagesOf = pagesOf
    this.#server.closeAllConnections()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    await promise
  }
}

/** What Chromium says of parts that are not there, and of a service that does not answer. */
function assertOnlyNotLoaded(visitor: Visitor): void {
  const others = visitor.errors
    .splice(0)
    .filter((error) => !/dynamically imported module|could not be loaded|Refused to apply style/.test(error))
  assert.deepEqual(others, [])
}

test('a page that cannot be loaded is shown once the service answers again, and the app stays until then', async () => {
  await using address = await Address.of(world.base)
  const { visitor, page } = await arrive('/labels', { baseURL: address.base })
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
  const { visitor, page } = await arrive('/labels', { baseURL: address.base })
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
  const built = await foundBuild()
  assert.ok(built)
  const directory = await mkdtemp(join(tmpdir(), 'build-'))
  await rm(directory, { recursive: true })
  await otherBuild(built, directory)
  await using upgraded = await World.start({ web: directory })
  await rm(directory, { recursive: true })
  await using address = await Address.of(world.base)
  const { visitor, page } = await arrive('/labels', { baseURL: address.base })
  const scripts = () => page.evaluate<string[]>('Array.from(document.scripts, ({ src }) => src)')
  const before = await scripts()
  address.cut(upgraded.base)
  await page.getByText('Mailroom was upgraded.').waitFor()
  await visitor.assertSoundAnywhere()
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('searchbox').waitFor()
  const after = await scripts()
  assert.ok(after.length === before.length && !after.some((script) => before.includes(script)), String(after))
  assertOnlyNotLoaded(visitor)
  await visitor.assertSound()
})
