// Takes the screenshots of docs/images/ of the try-out, with a personal filter. It needs fonts for Chinese.

import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser, Visitor } from '#test/web/browser.ts'
import { startService } from '#test/world/service.ts'

const images = join(import.meta.dirname, '../../../docs/images')
const mostBytes = 150_000
const window = { viewport: { width: 1280, height: 800 } }

if (import.meta.main) await takeScreenshots(images)

/** Of each a file in the directory. */
export async function takeScreenshots(directory: string): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const data = await mkdtemp(join(tmpdir(), 'screenshots-'))
  resources.defer(() => rm(data, { recursive: true, force: true }))
  const service = await startService({ MAILROOM_DATA_DIR: data }, ['serve'])
  resources.defer(async () => void (await service.end('SIGTERM')))
  const browser = await openBrowser()
  resources.defer(() => browser.close())

  const link = /\S+\/sign-in#\S+/.exec(service.written())?.[0]
  assert.ok(link, 'the first start prints a link')
  const { origin } = new URL(link)
  const day = await Visitor.open(browser, origin, window)
  await day.page.goto(link)
  await day.page.getByRole('button', { name: 'Sign in' }).click()
  await day.page.getByRole('heading', { name: 'Overview' }).waitFor()
  const { cookies } = await day.page.context().storageState()
  const storageState = { cookies, origins: [] }
  const night = await Visitor.open(browser, origin, { ...window, colorScheme: 'dark', storageState })

  await take(day, join(directory, 'mail.jpg'), '/mail/ada%40tryout.test/inbox', 'Notes on the engine')
  await day.page.keyboard.press('r')
  const text = day.page.getByRole('dialog').getByRole('textbox', { name: 'Message' })
  await text.fill('Thank you. I read them on Monday, and bring the drawings.')
  await day.page.getByLabel('To', { exact: true }).fill('a')
  await day.page.getByRole('option').first().waitFor()
  await day.page.getByRole('dialog').getByText('Saved', { exact: true }).waitFor()
  await picture(day, join(directory, 'composer.jpg'))
  const star = { name: 'From Mary', field: 'from', op: 'contains', value: 'mary@', action: 'star', argument: null }
  const filter = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(star) }
  await day.page.evaluate(`fetch('/v1/me/filters', ${JSON.stringify(filter)})`)
  await night.open('/filters')
  // A filter's name, and the label that it gives.
  await night.page.getByRole('grid').getByText('Invoices', { exact: true }).nth(1).waitFor()
  await picture(night, join(directory, 'filters.jpg'))
}

/** Shows a conversation of a folder. */
async function take(visitor: Visitor, file: string, path: string, subject: string): Promise<void> {
  const { page } = visitor
  await visitor.open(path)
  await page.getByRole('row').filter({ hasText: subject }).first().click()
  await page.getByRole('heading', { name: subject }).waitFor()
  await picture(visitor, file)
}

async function picture({ page, errors }: Visitor, file: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: file, type: 'jpeg', quality: 85, animations: 'disabled' })
  assert.ok((await stat(file)).size <= mostBytes, `${file} is larger than ${mostBytes} bytes`)
  assert.deepEqual(errors, [])
}
