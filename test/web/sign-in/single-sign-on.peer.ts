import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { Visitor } from '#test/web/browser.ts'
import { startSite } from '#test/web/site.ts'
import { RealProvider } from '#test/world/identity/real-provider.ts'
import { ofFile } from '#test/world/of-file.ts'

const provider = ofFile(await RealProvider.start())
const { world, browser } = await startSite({ env: { ...provider.env, MAILROOM_PASSWORDS: 'off' } })
provider.serve(world.base)

/** An owner whom the provider knows. */
async function newOwner(): Promise<{ sub: string; email: string }> {
  const [sub, email] = [randomUUID(), `${randomUUID()}@people.example`]
  provider.people.set(sub, { email, email_verified: true, name: 'Ada Lovelace' })
  await (await world.organization()).member(email, 'owner')
  return { sub, email }
}

/** Signs in at the provider. */
async function sayThere(page: Page, who: string): Promise<void> {
  await page.getByLabel('Who are you?').fill(who)
  await page.getByRole('button', { name: 'Go on' }).click()
}

async function arrive(): Promise<Visitor> {
  const visitor = await Visitor.open(browser, world.base)
  visitor.sentTo = new URL(provider.issuer).host
  return visitor
}

test('a member signs in at the provider, and confirms there who they are', async () => {
  const { sub, email } = await newOwner()
  await using visitor = await arrive()
  const { page } = visitor
  await visitor.open('/members')
  await visitor.assertSoundAnywhere()
  await page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await sayThere(page, sub)
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await world.db
    .updateTable('member_sessions')
    .set({ confirmed_at: new Date(0) })
    .execute()

  await page.getByRole('button', { name: 'Add a member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail address').fill('new@people.example')
  await dialog.getByRole('button', { name: 'Add member' }).click()
  const link = dialog.getByRole('link', { name: 'sign in at Acme' })
  await link.waitFor()
  await visitor.assertSoundAnywhere()
  const [window] = await Promise.all([page.context().waitForEvent('page'), link.click()])
  window.setDefaultTimeout(0)
  await window.getByRole('button', { name: 'Sign in at Acme' }).click()
  await sayThere(window, sub)
  await window.getByRole('heading', { name: 'You have confirmed that it is you' }).waitFor()
  await window.close()
  await dialog.getByRole('button', { name: 'Add member' }).click()
  await page.getByRole('cell', { name: 'new@people.example' }).or(page.getByText('/sign-in#')).first().waitFor()
  await page.goto('/profile')
  await page.getByText(`${email}, owner`).waitFor()
})

test('a person who is no member is told so, in our own words, and may use a link', async () => {
  provider.people.set('eve', { email: 'eve@people.example', email_verified: true })
  await using visitor = await arrive()
  const { page } = visitor
  await visitor.open('/sign-in')
  await page.getByRole('button', { name: 'Sign in with Acme' }).click()
  await sayThere(page, 'eve')
  await page.getByRole('alert').getByText('No member has your e-mail address').waitFor()
  await visitor.assertSound()
  await page.getByRole('button', { name: 'Use a sign-in link' }).click()
  await page.getByLabel('Sign-in link').waitFor()
  await page.goto('/sign-in?failed=Your+account+is+locked')
  await page.getByRole('button', { name: 'Sign in with Acme' }).waitFor()
  assert.equal(await page.getByText('locked').count(), 0)
})
