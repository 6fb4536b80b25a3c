import type { Browser, BrowserContextOptions, CDPSession } from 'playwright-core'
import { linkFor } from '#test/world/members/signed-in.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { Visitor } from './browser.ts'

/** Browsers have no passkeys under an IP address. */
export const atLocalhost = (url: string) => url.replace('127.0.0.1', 'localhost')

/** What a browser keeps passkeys on. */
class Device {
  readonly #devices: CDPSession
  #id = ''

  constructor(devices: CDPSession) {
    this.#devices = devices
  }

  async plugIn(): Promise<void> {
    const { authenticatorId } = await this.#devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
    this.#id = authenticatorId
  }

  /** By another one, which is empty. */
  async replace(): Promise<void> {
    await this.#devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#id })
    await this.plugIn()
  }

  /** From now on it does not know who is there. */
  async refuse(): Promise<void> {
    await this.#devices.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified: false })
  }
}

/** A member's browser that has such a device, signed in by a link. */
export async function visitWithDevice(
  browser: Browser,
  organization: TestOrganization,
  memberId: string,
  options: BrowserContextOptions,
) {
  const visitor = await Visitor.open(browser, atLocalhost(organization.world.base), options)
  const { page } = visitor
  const devices = await page.context().newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const device = new Device(devices)
  await device.plugIn()
  await page.goto(atLocalhost(await linkFor(organization, memberId)))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return { visitor, page, device }
}
