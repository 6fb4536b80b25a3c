import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { dialog, press } from '#test/web/app.ts'
import { phone, Visitor } from '#test/web/browser.ts'
import { atLocalhost, visitWithDevice } from '#test/web/passkey-device.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

/** Signs in by a link, in a browser that has an authenticator of its own. */
async function arrive(options: BrowserContextOptions = {}) {
  const organization = await world.organization()
  const { id } = await organization.member(`ada@${organization.domain}`)
  return await visitWithDevice(browser, organization, id, options)
}

test('a member adds a passkey, signs in with it alone, confirms with it and removes it', async () => {
  const { visitor, page, device } = await arrive()
  const name = page.getByRole('textbox', { name: 'Name' })

  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  assert.equal(await name.inputValue(), 'Linux')
  await name.fill('Laptop')
  await press(page, 'Add')
  await page.getByRole('row', { name: /Laptop.*Never/ }).waitFor()
  await visitor.assertSoundAnywhere()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await visitor.assertSoundAnywhere()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await press(page, 'Remove')
  await dialog(page).getByText('your only way in').waitFor()
  await press(page, 'Cancel')
  await page.getByRole('button', { name: 'Rename Laptop' }).click()
  await name.fill('Old laptop')
  await press(page, 'Save')
  await page.getByRole('row', { name: /Old laptop/ }).waitFor()
  await dialog(page).waitFor({ state: 'detached' })

  // Later, dangerous actions ask for a confirmation.
  world.clock.advance(11 * 60_000)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await press(page, 'Add')
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
  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  await press(page, 'Remove')
  await page.getByRole('row', { name: /Old laptop/ }).waitFor({ state: 'detached' })
})

test('a passkey that is not used is said so, and the password may be used in its place', async () => {
  const { visitor, page, device } = await arrive({ ...phone, colorScheme: 'dark' })
  const setPassword = async (button: string, password: string) => {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('textbox', { name: 'New password' }).fill(password)
    await press(page, 'Save')
  }
  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await press(page, 'Add')
  await page.getByRole('button', { name: /^Remove/ }).waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await setPassword('Set a password', 'violet anchors hum at noon')
  await page.getByRole('button', { name: 'Change password' }).waitFor()

  world.clock.advance(11 * 60_000)
  await device.refuse()
  await setPassword('Change password', 'green anchors hum at noon')
  await dialog(page).getByText('the browser asks for your passkey').waitFor()
  await press(page, 'Save')
  await dialog(page).getByText('No passkey was used').waitFor()
  await visitor.assertSound()
  await press(page, 'Use your password')
  await page.getByRole('textbox', { name: 'Your password' }).fill('violet anchors hum at noon')
  await press(page, 'Save')
  await dialog(page).waitFor({ state: 'detached' })

  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('No passkey was used').waitFor()
  await visitor.assertSound()
})

test('under an IP address there are no passkeys, and the profile says where there are', async () => {
  const organization = await world.organization()
  const { id } = await organization.member(`ada@${organization.domain}`)
  await using visitor = await Visitor.signIn(browser, organization, id)
  const { page } = visitor
  await visitor.open('/profile')
  await page.getByText(`Open ${atLocalhost(world.base)}`).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Use a sign-in link' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
})
