import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type Visitor } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()
/** Desktop browsers show a frame of another origin from another process, of which the page learns less. */
const apart = await openBrowser('--site-per-process')
after(() => apart.close())

const text = 'Is it oiled?'

/** A mailbox with two conversations, the older of them open, and where its text is in the window. */
async function opened(visitor: Visitor, box: Box): Promise<{ x: number; y: number }> {
  const { page } = visitor
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page
    .getByRole('row', { name: /The engine/ })
    .getByRole('link')
    .click()
  const frame = page.getByTitle('What Ann wrote')
  await page.frameLocator('iframe[title="What Ann wrote"]').getByText(text).waitFor()
  await conversation(page).and(page.locator(':focus')).waitFor()
  const { x = 0, y = 0 } = (await frame.boundingBox()) ?? {}
  return { x: x + 2, y: y + 10 }
}

async function furnished(): Promise<Box> {
  const box = await boxOf(world)
  const html = `<p style="margin: 0; font: 16px monospace">${text}</p><a href="mailto:one@peer.example">One</a> <a href="mailto:two@peer.example">Two</a>`
  await box.receive({ subject: 'The engine', html })
  await box.receive({ subject: 'The moon', text: 'It is full.' })
  return box
}

const conversation = (page: Page) => page.getByRole('article', { name: 'Conversation' })
/** Not by `:focus`, which no frame has while what is in it has the focus. */
const frameHasFocus = 'document.activeElement?.title === "What Ann wrote"'
const inFrame = (page: Page) => page.waitForFunction(frameHasFocus)
const isInFrame = (page: Page) => page.evaluate(frameHasFocus)

/** The mouse of the browser itself: that of Playwright waits for scripts in the frame while a button is pressed. */
async function mouseOf(page: Page) {
  const devices = await page.context().newCDPSession(page)
  return (type: 'Moved' | 'Pressed' | 'Released', x: number, y: number, clickCount = 0) =>
    devices.send('Input.dispatchMouseEvent', {
      ...{ type: `mouse${type}`, x, y, button: 'left', clickCount },
      buttons: type === 'Released' ? 0 : 1,
    })
}

/** A button of the mouse is pressed in the frame. */
async function pressed(visitor: Visitor, box: Box) {
  const { x, y } = await opened(visitor, box)
  const mouse = await mouseOf(visitor.page)
  await mouse('Pressed', x, y, 1)
  await inFrame(visitor.page)
  return { mouse, x, y }
}

/** What Control and C copy. */
async function copied(page: Page): Promise<string> {
  await page.evaluate('navigator.clipboard.writeText("")')
  await page.keyboard.down('Control')
  await inFrame(page)
  await page.keyboard.press('c')
  await page.keyboard.up('Control')
  await conversation(page).and(page.locator(':focus')).waitFor()
  return (await page.evaluate('navigator.clipboard.readText()')) as string
}

for (const [where, of] of [
  ['in the process of the page', browser],
  ['in one of its own', apart],
] as const) {
  test(`after a click into a message the keys of the page work, with the frame ${where}`, async () => {
    const box = await furnished()
    await using visitor = await reader(of, box)
    const { page } = visitor
    const { mouse, x, y } = await pressed(visitor, box)
    await mouse('Released', x, y, 1)
    await conversation(page).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 1, name: 'The moon' }).waitFor()
  })

  test(`text of a message is selected and copied, with the frame ${where}`, async () => {
    const box = await furnished()
    await using visitor = await reader(of, box)
    const { page } = visitor
    const { mouse, x, y } = await pressed(visitor, box)
    await mouse('Moved', x + 20, y)
    // It is selected on, though the focus has gone.
    await conversation(page).and(page.locator(':focus')).waitFor()
    await mouse('Moved', x + 400, y)
    await mouse('Released', x + 400, y, 1)
    assert.equal(await copied(page), text)
    // The same again, and a word by two clicks.
    assert.equal(await copied(page), text)
    for (const clicks of [1, 2]) {
      await mouse('Pressed', x, y, clicks)
      await mouse('Released', x, y, clicks)
    }
    await conversation(page).and(page.locator(':focus')).waitFor()
    assert.equal((await copied(page)).trim(), 'Is')
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 1, name: 'The moon' }).waitFor()
  })

  test(`who goes into a message by Tab stays in it, with the frame ${where}`, async () => {
    const box = await furnished()
    await using visitor = await reader(of, box)
    const { page } = visitor
    await page.clock.install()
    await opened(visitor, box)
    await page.getByRole('button', { name: 'More', exact: true }).focus()
    const links = page.frameLocator('iframe[title="What Ann wrote"]')
    while (!(await isInFrame(page))) await page.keyboard.press('Tab')
    await page.clock.fastForward(60_000)
    assert.equal(await isInFrame(page), true)
    for (const name of ['One', 'Two']) {
      const focused = links.getByRole('link', { name }).and(links.locator(':focus'))
      while ((await focused.count()) === 0) await page.keyboard.press('Tab')
    }
    assert.equal(await isInFrame(page), true)
    while (await isInFrame(page)) await page.keyboard.press('Tab')
  })
}
