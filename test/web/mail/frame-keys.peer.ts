import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { conversation, focusOn, holds, openConversation, pathOf } from '#test/web/app.ts'
import { openBrowser, Visitor } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()
/** Desktop browsers show a frame of another origin from another process, of which the page learns less. */
const apart = await openBrowser('--site-per-process')
after(() => apart.close())

const text = 'Is it oiled?'

/** A member reads the older of two conversations; where its text is in the window. */
async function opened(of: typeof browser) {
  const box = await boxOf(world)
  const html = `<p style="margin: 0; font: 16px monospace">${text}</p><a href="mailto:one@peer.example">One</a> <a href="mailto:two@peer.example">Two</a>`
  await box.receive({ subject: 'The engine', html })
  await box.receive({ subject: 'The moon', text: 'It is full.' })
  const permissions = ['clipboard-read', 'clipboard-write']
  const visitor = await Visitor.signIn(of, box.organization, box.memberId, { permissions })
  const { page } = visitor
  await visitor.takeClock()
  await visitor.open(pathOf(box))
  await openConversation(page, 'The engine')
  await frameOf(page).getByText(text).waitFor()
  const { x = 0, y = 0 } = (await page.getByTitle('What Ann wrote').boundingBox()) ?? {}
  // The focus goes back to the page when the test lets time pass.
  await page.clock.pauseAt(Date.now() + 60_000)
  return { page, x: x + 2, y: y + 10 }
}

const frameOf = (page: Page) => page.frameLocator('iframe[title="What Ann wrote"]')
/** Not by `:focus`, which no frame has while what is in it has the focus. */
const frameHasFocus = 'document.activeElement?.title === "What Ann wrote"'
const inFrame = (page: Page) => holds(page, frameHasFocus)

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
async function pressed(of: typeof browser) {
  const open = await opened(of)
  const mouse = await mouseOf(open.page)
  await mouse('Pressed', open.x, open.y, 1)
  await inFrame(open.page)
  return { ...open, mouse }
}

/** The page has the focus again, some time after a click. */
async function backInPage(page: Page): Promise<void> {
  await page.clock.fastForward(3_000)
  await focusOn(conversation(page))
}

/** What Control and C copy. */
async function copied(page: Page): Promise<string> {
  await page.evaluate('navigator.clipboard.writeText("")')
  await page.keyboard.down('Control')
  await inFrame(page)
  await page.keyboard.press('c')
  await page.keyboard.up('Control')
  await backInPage(page)
  return (await page.evaluate('navigator.clipboard.readText()')) as string
}

/** Presses Tab until the focus is there, at most until every place had the focus several times. */
async function tabUntil(page: Page, isThere: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 300; presses++) {
    if (await isThere()) return
    await page.keyboard.press('Tab')
  }
  assert.fail('Tab does not lead there')
}

for (const [where, of] of [
  ['in the process of the page', browser],
  ['in one of its own', apart],
] as const) {
  test(`text of a message is selected and copied, and then the keys of the page work, with the frame ${where}`, async () => {
    const { page, mouse, x, y } = await pressed(of)
    await mouse('Moved', x + 20, y)
    // It is selected on, though the focus has gone.
    await backInPage(page)
    await mouse('Moved', x + 400, y)
    await mouse('Released', x + 400, y, 1)
    assert.equal(await copied(page), text)
    // The same again, and a word by two clicks.
    assert.equal(await copied(page), text)
    for (const clicks of [1, 2]) {
      await mouse('Pressed', x, y, clicks)
      await mouse('Released', x, y, clicks)
    }
    await inFrame(page)
    await backInPage(page)
    assert.equal((await copied(page)).trim(), 'Is')
    await page.clock.resume()
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 1, name: 'The moon' }).waitFor()
  })

  test(`who goes into a message by Tab stays in it until its end, with the frame ${where}`, async () => {
    const { page } = await opened(of)
    await page.getByRole('button', { name: 'More', exact: true }).focus()
    await tabUntil(page, () => page.evaluate(frameHasFocus))
    await page.clock.fastForward(60_000)
    for (const name of ['One', 'Two']) {
      const focused = frameOf(page).getByRole('link', { name }).and(frameOf(page).locator(':focus'))
      await tabUntil(page, async () => (await focused.count()) > 0)
      assert.equal(await page.evaluate(frameHasFocus), true)
    }
    await tabUntil(page, async () => !(await page.evaluate(frameHasFocus)))
  })
}
