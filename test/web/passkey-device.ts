import type { Browser, BrowserContextOptions } from 'playwright-core'
import { linkFor } from '#test/world/members/signed-in.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { Visitor } from './browser.ts'

/** Browsers have no passkeys under an IP address. */
export const atLocalhost = (url: string) => url.replace('127.0.0.1', 'localhost')

const options = {
  ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const),
  ...{ isUserVerified: true, automaticPresenceSimulation: true },
}

/** A member's browser that has a device for passkeys, signed in by a link. */
export async function visitWithDevice(
  browser: Browser,
  organization: TestOrganization,
  memberId: string,
  windowOptions: BrowserContextOptions = {},
) {
  const visitor = await Visitor.open(browser, atLocalhost(organization.world.base), windowOptions)
  const { page } = visitor
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  let plugged = await devices.send('WebAuthn.addVirtualAuthenticator', { options })
  const device = {
    /** By another one, which is empty. */
    async replace() {
      await devices.send('WebAuthn.removeVirtualAuthenticator', plugged)
      plugged = await devices.send('WebAuthn.addVirtualAuthenticator', { options })
    },
    /** From now on it does not know who is there. */
    refuse: () => devices.send('WebAuthn.setUserVerified', { ...plugged, isUserVerified: false }),
  }
  await page.goto(atLocalhost(await linkFor(organization, memberId)))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return { visitor, page, device }
}
