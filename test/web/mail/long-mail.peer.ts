import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { longestTask } from './longest-task.ts'

const { world, browser } = await startSite()

async function openMessage(page: Page, { address }: Box, subject: string): Promise<void> {
  await page.goto(`/mail/${encodeURIComponent(address)}/inbox`)
  await page.getByRole('row').filter({ hasText: subject }).getByRole('link').click()
}

const frames = (page: Page) => page.locator('article iframe')

const lines = (count: number) => Array.from({ length: count }, (_, at) => `<p>Line ${at + 1}</p>`).join('')

/** HTML that hangs or crashes a browser if it is shown unchanged. */
const heavy = {
  'tables in each other': '<table><tr><td>'.repeat(2_500),
  'elements in each other': '<div>'.repeat(7_900),
  'cells of many columns and rows': `<table>${'<tr><td colspan=1000 rowspan=65534>x</td></tr>'.repeat(1_900)}</table>`,
  'many rules': `<style>${'*{color:red}'.repeat(7_000)}</style>${lines(3_900)}`,
  'rules that look into elements': `<style>${Array.from({ length: 300 }, (_, at) => `:has(b${at}){color:red}`).join('')}</style>${lines(3_900)}`,
  'properties put into each other': `<style>*{--a:${'x '.repeat(20)};${[...'bcdefghijklm'].map((name, at) => `--${name}:${`var(--${'abcdefghijkl'[at]})`.repeat(5)}`).join(';')}}</style>${lines(3_900)}`,
  'inline blocks in each other': `<style>div{display:inline-block}</style>${'<div>x'.repeat(450)}`,
  'columns in each other': `<style>div{columns:3}</style>${'<div>x'.repeat(400)}`,
  'letters with marks': 'a\u0301'.repeat(100_000),
  'more than is shown unasked': lines(15_000),
}

const heavyTexts = {
  'lines that quote by turns': '> a\nb\n'.repeat(16_000),
  'addresses of pages': 'http://a.example/ '.repeat(5_500),
  'empty lines': 'a\n\n'.repeat(33_000),
}

/** A fifth of a second of its processor, in milliseconds. */
const most = 200

test('no message holds the page for a fifth of a second of its processor, whatever it is made of', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const held: string[] = []
  for (const [what, html] of Object.entries(heavy)) {
    await box.receive({ subject: what, text: 'Dear Ada', html: `<p>Dear Ada</p>${html}<p>The end</p>` })
    const longest = await longestTask(browser, page, most, async () => {
      await openMessage(page, box, what)
      if (what === 'more than is shown unasked')
        await page.getByRole('button', { name: 'Show with formatting' }).click()
      await frames(page).last().contentFrame().getByText('The end').waitFor({ state: 'attached' })
      await frames(page).and(page.locator('[style*="px"]')).last().waitFor()
    })
    if (longest >= most || process.env.TELL) held.push(`${what}: ${longest} ms`)
  }
  for (const [what, text] of Object.entries(heavyTexts)) {
    await box.receive({ subject: what, text: `Dear Ada\n${text}` })
    const longest = await longestTask(browser, page, most, async () => {
      await openMessage(page, box, what)
      await page.getByRole('article').getByText('Dear Ada').last().waitFor()
    })
    if (longest >= most || process.env.TELL) held.push(`${what}: ${longest} ms`)
  }
  assert.deepEqual([held, visitor.strayed, visitor.errors], [[], [], []])
})

test('a message that is shown in parts has all of its text, its look, and its quotation folded', async () => {
  const box = await boxOf(world)
  const styled = '<style>p { color: rgb(1, 2, 3) }</style>'
  const html = `${styled}<p>Yes.</p><blockquote type="cite">${lines(3_500)}</blockquote><p>Ann</p>`
  await box.receive({ subject: 'Yes', text: 'Yes.', html })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openMessage(page, box, 'Yes')
  await frames(page).last().contentFrame().getByText('Ann', { exact: true }).waitFor()
  const texts = async () => {
    const all = []
    for (const frame of await frames(page).all()) all.push(await frame.contentFrame().locator('body').innerText())
    return all.join('\n').split(/\s*\n\s*/)
  }
  assert.deepEqual(await texts(), ['Yes.', 'Ann'])
  await page.getByRole('button', { name: 'Show quoted text' }).click()
  await frames(page).last().contentFrame().getByText('Line 3500').waitFor()
  assert.ok((await frames(page).count()) > 2)
  assert.deepEqual(await texts(), ['Yes.', ...Array.from({ length: 3_500 }, (_, at) => `Line ${at + 1}`), 'Ann'])
  for (const frame of await frames(page).all())
    assert.ok((await frame.getAttribute('srcdoc'))?.includes('color: rgb(1, 2, 3)'))
  await page.getByRole('button', { name: 'Hide quoted text' }).click()
  assert.deepEqual(await texts(), ['Yes.', 'Ann'])
  await visitor.assertSound()
})

test('a message of 5 MB of nested tables is shown as text alone, and does not hold the page', async () => {
  const box = await boxOf(world)
  const tables = '<table><tr><td>'.repeat(350_000)
  await box.receive({ subject: 'Tables', html: `<p>Dear Ada</p>${tables}`, text: 'Dear Ada, look.' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const longest = await longestTask(browser, page, most, async () => {
    await openMessage(page, box, 'Tables')
    await page.getByText('The formatted text of this message is too large').waitFor()
  })
  assert.ok(longest < most, `${longest} ms`)
  await page.getByText('Dear Ada, look.').last().waitFor()
  assert.equal(await page.locator('iframe').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Show with formatting' }).count(), 0)
  await visitor.assertSound()
})

test('a message of many tags is shown as text until its formatting is asked for, and is answered as text', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'Lines', html: `<p>Dear Ada</p>${lines(6_000)}`, text: 'Dear Ada, look.' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openMessage(page, box, 'Lines')
  await page.getByText('The formatted text of this message is large').waitFor()
  assert.equal(await frames(page).count(), 0)
  await page.getByRole('button', { name: 'Show with formatting' }).click()
  await frames(page).last().contentFrame().getByText('Line 6000').waitFor({ state: 'attached' })
  await page.keyboard.press('r')
  const composer = page.getByRole('dialog')
  await composer.getByRole('button', { name: 'Show quoted text' }).click()
  const quoted = composer.locator('iframe').contentFrame()
  await quoted.getByText('Dear Ada, look.').waitFor()
  assert.equal(await quoted.getByText('Line 1').count(), 0)
})
