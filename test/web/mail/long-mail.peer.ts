import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { body, composer, focusOn, openConversation, pathOf } from '#test/web/app.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { heavyHtml } from '../../../bench/heavy-mail.ts'

const { world, visit } = await startSite()

const frames = (page: Page) => page.locator('article iframe')
const lines = (count: number) => Array.from({ length: count }, (_, at) => `<p>Line ${at + 1}</p>`).join('')
/** What stands behind all else of a message. */
const end = (page: Page, text: RegExp) =>
  frames(page).last().contentFrame().getByText(text).last().waitFor({ state: 'attached' })

async function opened(subject: string, html: string, text: string) {
  const box = await boxOf(world)
  await box.receive({ subject, html, text })
  const { visitor, page } = await visit(box, pathOf(box))
  await openConversation(page, subject)
  return { visitor, page }
}

/** What a frame lays out: its elements, how many are within each other, the widest cell, characters, and styles. */
const laidOut = `(() => {
  const all = [...document.body.querySelectorAll('*')]
  const depthOf = (one) => one === document.body ? 0 : 1 + depthOf(one.parentElement)
  return {
    elements: all.length,
    deepest: Math.max(0, ...all.map(depthOf)),
    widest: Math.max(0, ...all.map((one) => Math.max(one.colSpan ?? 0, one.rowSpan ?? 0))),
    characters: document.body.textContent.length,
    styles: [...document.querySelectorAll('style')].map((one) => one.textContent).join(),
  }
})()`

for (const [what, html] of Object.entries(heavyHtml))
  test(`a message is shown to its end, in parts that a browser lays out at once: ${what}`, async () => {
    const whole = `<p>Dear Ada</p>${html}<p>The end</p>`
    const { visitor, page } = await opened(what, whole, 'Dear Ada')
    if (what === 'more than is shown unasked') await page.getByRole('button', { name: 'Show with formatting' }).click()
    await end(page, /The end$/)
    for (const frame of await frames(page).all()) {
      const found = (await frame.contentFrame().locator('body').evaluate(laidOut)) as Record<string, unknown>
      for (const [name, most] of Object.entries({ elements: 3_100, deepest: 152, widest: 30, characters: 100_100 }))
        assert.ok(Number(found[name]) <= most, `${found[name]} ${name}`)
      assert.doesNotMatch(String(found.styles), /column-count|columns:|var\(|--[a-z]/)
    }
    await visitor.assertFits()
  })

test('a message that is shown in parts has all of its text, its look, and its quotation folded', async () => {
  const styled = '<style>p { color: rgb(1, 2, 3) }</style>'
  const html = `${styled}<p>Yes.</p><blockquote type="cite">${lines(3_500)}</blockquote><p>Ann</p>`
  const { visitor, page } = await opened('Yes', html, 'Yes.')
  await end(page, /^Ann$/)
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

test('a message of 5 MB of nested tables is shown as text alone', async () => {
  const html = `<p>Dear Ada</p>${'<table><tr><td>'.repeat(350_000)}`
  const { visitor, page } = await opened('Tables', html, 'Dear Ada, look.')
  await page.getByText('The formatted text of this message is too large').waitFor()
  await page.getByText('Dear Ada, look.').last().waitFor()
  assert.equal(await page.locator('iframe').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Show with formatting' }).count(), 0)
  await visitor.assertSound()
})

test('a message of many tags is shown as text until its formatting is asked for, and is answered as text', async () => {
  const html = `<p>Dear Ada</p>${lines(6_000)}`
  const { page } = await opened('Lines', html, 'Dear Ada, look.')
  await page.getByText('The formatted text of this message is large').waitFor()
  assert.equal(await frames(page).count(), 0)
  await page.getByRole('button', { name: 'Show with formatting' }).click()
  await end(page, /^Line 6000$/)
  await page.keyboard.press('r')
  await focusOn(body(page))
  await composer(page).getByRole('button', { name: 'Show quoted text' }).click()
  const quoted = composer(page).locator('iframe').contentFrame()
  await quoted.getByText('Dear Ada, look.').waitFor()
  assert.equal(await quoted.getByText('Line 1').count(), 0)
})
