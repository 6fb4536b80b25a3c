import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { click, dialog, fillIn, press } from '#test/web/app.ts'
import { openBrowser, phone, Visitor } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { atLocalhost, visitWithDevice } from '#test/web/passkey-device.ts'
import { startSite } from '#test/web/site.ts'
import { linkFor } from '#test/world/members/signed-in.ts'

const { world, browser, visit, arrive } = await startSite()

test('a link says whose account it opens, and whose session it ends, before it does', async () => {
  const [own, other] = [await boxOf(world), await boxOf(world)]
  const { visitor, page } = await visit(own)
  await page.goto(await linkFor(other.organization, other.memberId))
  await page.getByText(`(${other.address}) of ${other.organization.name}`).waitFor()
  await page.getByRole('alert').getByText(`You are signed in as ${own.address} of ${own.organization.name}`).waitFor()
  await visitor.assertSound()
  const whose = async () => (await (await page.request.get('/v1/me')).json()).email
  assert.equal(await whose(), own.address)
  await click(page, 'Sign in')
  await page.locator('nav').first().waitFor()
  assert.equal(await whose(), other.address)
})

test('after signing in the app stays where it is, though the address says elsewhere', async () => {
  const box = await boxOf(world)
  const { page } = await Visitor.open(browser, world.base)
  const [path, token] = (await linkFor(box.organization, box.memberId)).split('#')
  await page.goto(`${path}?to=${encodeURIComponent('/\t/elsewhere.example')}#${token}`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).and(page.locator(':enabled')).click()
  await page.getByRole('navigation').first().waitFor()
  assert.equal(new URL(page.url()).origin, new URL(world.base).origin)
})

/** A member at their profile, in a browser that has an authenticator of its own. */
async function atProfile(options: BrowserContextOptions = {}) {
  const { organization, memberId } = await boxOf(world, 'member')
  const arrived = await visitWithDevice(browser, organization, memberId, options)
  await arrived.visitor.open('/profile')
  return arrived
}

test('a member adds a passkey, signs in with it alone, confirms with it and removes it', async () => {
  const { visitor, page, device } = await atProfile()
  const name = page.getByRole('textbox', { name: 'Name' })
  await click(page, 'Add a passkey')
  assert.equal(await name.inputValue(), 'Linux')
  await name.fill('Laptop')
  await press(page, 'Add')
  await page.getByRole('row', { name: /Laptop.*Never/ }).waitFor()

  await click(page, 'Sign out')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await visitor.assertSoundAnywhere()
  await click(page, 'Sign in with a passkey')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

  await visitor.open('/profile')
  await fillIn(page, 'Remove Laptop', {}, 'Remove')
  await dialog(page).getByText('your only way in').waitFor()
  await press(page, 'Cancel')
  await fillIn(page, 'Rename Laptop', { Name: 'Old laptop' }, 'Save')
  await page.getByRole('row', { name: /Old laptop/ }).waitFor()
  await dialog(page).waitFor({ state: 'detached' })

  // Later, dangerous actions ask for a confirmation.
  world.clock.advance(11 * 60_000)
  await fillIn(page, 'Add a passkey', {}, 'Add')
  await dialog(page).getByText('the browser asks for your passkey').waitFor()
  await visitor.assertSound()
  await press(page, 'Add')
  // The one device has the member's passkey.
  await dialog(page).getByText('a passkey of yours already').waitFor()
  await device.replace()
  await name.fill('Key')
  await press(page, 'Add')
  await page.getByRole('row', { name: /^Key/ }).waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await fillIn(page, 'Remove Old laptop', {}, 'Remove')
  await page.getByRole('row', { name: /Old laptop/ }).waitFor({ state: 'detached' })
})

test('a passkey that is not used is said so, and the password may be used in its place', async () => {
  const { visitor, page, device } = await atProfile({ ...phone, colorScheme: 'dark' })
  await fillIn(page, 'Add a passkey', {}, 'Add')
  await page.getByRole('button', { name: /^Remove/ }).waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await fillIn(page, 'Set a password', { 'New password': 'violet anchors hum at noon' }, 'Save')
  await page.getByRole('button', { name: 'Change password' }).waitFor()

  world.clock.advance(11 * 60_000)
  await device.refuse()
  await fillIn(page, 'Change password', { 'New password': 'green anchors hum at noon' }, 'Save')
  await dialog(page).getByText('the browser asks for your passkey').waitFor()
  await press(page, 'Save')
  await dialog(page).getByText('No passkey was used').waitFor()
  await visitor.assertSound()
  await press(page, 'Use your password')
  await page.getByRole('textbox', { name: 'Your password' }).fill('violet anchors hum at noon')
  await press(page, 'Save')
  await dialog(page).waitFor({ state: 'detached' })

  await page.goto('/sign-in')
  await click(page, 'Sign in with a passkey')
  await page.getByRole('alert').getByText('No passkey was used').waitFor()
  await visitor.assertSound()
})

test('under an IP address there are no passkeys, and the profile says where there are', async () => {
  const { page } = await arrive('/profile')
  await page.getByText(`Open ${atLocalhost(world.base)}`).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Use a sign-in link' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
})

test('over plain HTTP on any name the pages are there, and say that one signs in over HTTPS', async () => {
  const mapped = ['--host-resolver-rules=MAP mail.example.test 127.0.0.1', '--proxy-bypass-list=mail.example.test']
  await using far = await openBrowser(...mapped)
  for (const [base, warnings] of [
    [world.base.replace('127.0.0.1', 'mail.example.test'), 1],
    [world.base, 0],
  ] as const) {
    await using visitor = await Visitor.open(far, base)
    await visitor.open('/')
    await visitor.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    const warning = visitor.page.getByRole('alert').filter({ hasText: 'over HTTPS only' })
    if (warnings > 0) await warning.waitFor()
    assert.equal(await warning.count(), warnings)
    // Chromium says that it leaves out this header here.
    const others = visitor.errors.splice(0).filter((error) => !error.includes('Cross-Origin-Opener-Policy'))
    assert.deepEqual(others, [])
    if (warnings > 0) await visitor.assertSoundAnywhere()
  }
})
