// What tests find on the pages of the web app.

import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** Waits until it has the focus. A key that is pressed before goes elsewhere: the focus moves a moment after what is shown. */
export const focusOn = (what: Locator) => what.and(what.page().locator(':focus')).waitFor()

/** The dialog, popover or menu of this name; without one, the dialog that is open. */
export function dialog(page: Page, name?: string): Locator {
  if (name === undefined) return page.locator('section:is([role=dialog], [role=alertdialog])')
  const named = (role: 'dialog' | 'alertdialog' | 'menu') => page.getByRole(role, { name, exact: true })
  return named('dialog').or(named('alertdialog')).or(named('menu')).first()
}

/** Presses the first button of this name. */
export const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

/** Presses a button of the dialog that is open. */
export const press = (page: Page, button: string) =>
  dialog(page).getByRole('button', { name: button, exact: true }).click()

/** Presses a button, fills in the dialog that this opens, and presses a button of that. */
export async function fillIn(
  page: Page,
  button: string,
  inputs: Readonly<Record<string, string>>,
  action: string,
): Promise<void> {
  await click(page, button)
  for (const [label, value] of Object.entries(inputs)) await dialog(page).getByLabel(label, { exact: true }).fill(value)
  await press(page, action)
}

/** Closes what is open over the page, and has the focus, by Escape, and waits until the focus is back. */
export async function closeByEscape(page: Page, open: Locator): Promise<void> {
  await focusOn(open.or(open.locator('*')))
  await page.keyboard.press('Escape')
  await open.waitFor({ state: 'detached' })
  // React Aria gives it back with the next frame.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

/** What is said of an action that is done. */
export const toast = (page: Page, text: string) => page.getByRole('alertdialog').filter({ hasText: text }).first()
export const says = (page: Page, text: string) => toast(page, text).waitFor()

/** The list of conversations. */
export const list = (page: Page) => page.getByRole('grid', { name: 'Conversations' })
export const row = (page: Page, subject: string | RegExp) => list(page).getByRole('row').filter({ hasText: subject })
export const conversation = (page: Page) => page.getByRole('article', { name: 'Conversation' })
export const pathOf = ({ address }: { readonly address: string }, folder = 'inbox') =>
  `/mail/${encodeURIComponent(address)}/${encodeURIComponent(folder)}`

/** Opens a conversation of the list, and waits until its newest message is there. */
export async function openConversation(page: Page, subject: string | RegExp): Promise<void> {
  await row(page, subject).getByRole('link').click()
  await conversation(page).getByRole('region').first().waitFor()
  await focusOn(conversation(page))
}

/** Chooses from the command palette by the keyboard. */
export async function choose(page: Page, name: string): Promise<void> {
  const palette = dialog(page, 'Go to')
  await page.keyboard.press('Control+k')
  await palette.getByRole('menuitem').first().waitFor()
  await focusOn(palette.locator('input'))
  await page.keyboard.type(name)
  await palette.locator('[role=menuitem][data-focused]').filter({ hasText: name }).waitFor()
  await palette.getByRole('menuitem', { name: 'Overview' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await palette.waitFor({ state: 'detached' })
}

/** Presses Tab until an element has the focus. */
export async function tabTo(element: Locator): Promise<void> {
  const page = element.page()
  await element.waitFor()
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if ((await element.and(page.locator(':focus')).count()) > 0) return
  }
  assert.fail(`Tab does not reach ${element}`)
}

/** Opens a page that follows the event log. */
export async function follow(page: Page, path: string): Promise<void> {
  const follows = page.waitForResponse((response) => response.url().includes('/v1/events/stream'))
  await page.goto(path)
  await follows
}

/** Waits until an expression holds in the page, which is looked at with each frame and as the focus moves. The page's policy lets
 *  no script be made of a text more than once, as Playwright's `waitForFunction` does. */
export const holds = (page: Page, expression: string) =>
  page.evaluate(`new Promise((done) => {
    let isSo = false
    const look = async () => {
      isSo ||= Boolean(await (${expression}))
      if (isSo) done()
    }
    const frame = () => {
      look()
      if (!isSo) requestAnimationFrame(frame)
    }
    for (const type of ['blur', 'focusin']) addEventListener(type, look)
    frame()
  })`)

/** The message that is being written. */
export const composer = (page: Page) =>
  page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Send', exact: true }) })
export const body = (page: Page) => composer(page).getByRole('textbox', { name: 'Message' })
export const recipients = (page: Page) => page.getByLabel('To', { exact: true })
/** Waits for a state of saving. */
export const kept = (page: Page, what = 'Saved') => composer(page).getByText(what, { exact: true }).waitFor()

/** Begins a message by the keyboard alone. */
export async function begin(page: Page, to: string, subject: string, text: string): Promise<void> {
  await page.keyboard.press('c')
  await focusOn(recipients(page))
  await page.keyboard.type(`${to},`)
  await page.getByLabel('Subject').fill(subject)
  await body(page).focus()
  await page.keyboard.type(text)
}

/** Sends the message that is being written, once the time has passed in which that can be undone. */
export async function send(page: Page): Promise<void> {
  await page.keyboard.press('Control+Enter')
  await says(page, 'Sending')
  await page.clock.fastForward(10_000)
  await says(page, 'Message sent')
}
