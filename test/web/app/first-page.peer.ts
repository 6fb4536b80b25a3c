import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtWeb } from '#/web/build.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit } = await startSite()

/** 250 KB of script, as it is sent. Browsers take Brotli over HTTPS and on the same machine, and else gzip alone. */
const most = 250_000

const assets = join((await builtWeb()).directory ?? '', 'assets')
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
    await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
    await page.getByRole('row', { name: /The engine/ }).waitFor()
    await ahead
    await page.waitForLoadState('networkidle')
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0)
    assert.ok(
      scripts.size > 20 && bytes > 100_000 && bytes <= most,
      `${encoding}: ${bytes} bytes in ${scripts.size} files`,
    )
  }
})
