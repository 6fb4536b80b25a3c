import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession } from 'playwright-core'
import { phone, Visitor } from '#test/web/browser.ts'
import { startSite } from '#test/web/site.ts'
import { linkFor } from '#test/world/members/signed-in.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'

const { world, browser } = await startSite()

/** Browsers have no passkeys under an IP address. */
const atLocalhost = (url: string) => url.replace('127.0.0.1', 'localhost')

async function newMember(): Promise<{ organization: TestOrganization; id: string }> {
  const organization = await world.organization()
  const { id } = await organization.member(`ada@${organization.domain}`)
  return { organization, id }
}

/** Signs in by a link, in a browser that has an authenticator of its own. */
async function arrive({ organization, id }: Awaited<ReturnType<typeof newMember>>, options = {}) {
  const visitor = await Visitor.open(browser, atLocalhost(world.base), options)
  const { page } = visitor
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const device = await plugIn(devices)
  await page.goto(atLocalhost(await linkFor(organization, id)))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return { visitor, page, devices, device }
}

async function plugIn(devices: CDPSession): Promise<string> {
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  return authenticatorId
}

test('a member adds a passkey, signs in with it alone, confirms with it and removes it', async () => {
  const member = await newMember()
  const { visitor, page, devices, device } = await arrive(member)
  await using _ = visitor
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()

  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await visitor.assertSound()
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Linux')
  await page.getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await press('Add')
  await page.getByRole('row', { name: /Laptop.*Never/ }).waitFor()
  await visitor.assertSound()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await visitor.assertSound()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await visitor.assertSound()
  await press('Remove')
  await dialog.getByText('your only way in').waitFor()
  await press('Cancel')
  await page.getByRole('button', { name: 'Rename Laptop' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Old laptop')
  await press('Save')
  await page.getByRole('row', { name: /Old laptop/ }).waitFor()

  // Later, dangerous actions ask for a confirmation.
  world.clock.advance(11 * 60_000)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await press('Add')
  await dialog.getByText('the browser asks for your passkey').waitFor()
  await visitor.assertSound()
  await press('Add')
  // The one device has the member's passkey.
  await dialog.getByText('a passkey of yours already').waitFor()
  await devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: device })
  await plugIn(devices)
  await page.getByRole('textbox', { name: 'Name' }).fill('Key')
  await press('Add')
  await page.getByRole('row', { name: /^Key/ }).waitFor()
  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  await press('Remove')
  await page.getByRole('row', { name: /Old laptop/ }).waitFor({ state: 'detached' })
})

test('a passkey that is not used is said so, and the password may be used in its place', async () => {
  const member = await newMember()
  const { visitor, page, devices, device } = await arrive(member, { ...phone, colorScheme: 'dark' })
  await using _ = visitor
  const dialog = page.getByRole('dialog')
  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page
    .getByRole('button', { name: 'Remove Android' })
    .or(page.getByRole('button', { name: /^Remove/ }))
    .waitFor()
  await page.getByRole('button', { name: 'Set a password' }).click()
  await page.getByRole('textbox', { name: 'New password' }).fill('violet anchors hum at noon')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Change password' }).waitFor()
  await visitor.assertSound()

  world.clock.advance(11 * 60_000)
  await devices.send('WebAuthn.setUserVerified', { authenticatorId: device, isUserVerified: false })
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('textbox', { name: 'New password' }).fill('green anchors hum at noon')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('the browser asks for your passkey').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('No passkey was used').waitFor()
  await visitor.assertSound()
  await dialog.getByRole('button', { name: 'Use your password' }).click()
  await page.getByRole('textbox', { name: 'Your password' }).fill('violet anchors hum at noon')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('No passkey was used').waitFor()
  await visitor.assertSound()
})

test('under an IP address there are no passkeys, and the profile says where there are', async () => {
  const { organization, id } = await newMember()
  await using visitor = await Visitor.signIn(browser, organization, id)
  const { page } = visitor
  await visitor.open('/profile')
  await page.getByText(`Open ${atLocalhost(world.base)}`).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Use a sign-in link' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
})
