// The composer of the web app.

import type { Page } from 'playwright-core'
import { focusOn, says } from './app.ts'

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
