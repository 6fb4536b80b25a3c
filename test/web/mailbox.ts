import assert from 'node:assert/strict'
import type { SendMailOptions } from 'nodemailer'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { World } from '#test/world/world.ts'
import { Visitor } from './browser.ts'

/** The state of a message in a list. */
export interface State {
  readonly uid: number
  readonly subject: string
  readonly unread: boolean
  readonly starred: boolean
  readonly labels: readonly string[]
}

/** A member's mailbox that mail arrives at. */
export class Box {
  readonly organization: TestOrganization
  readonly id: string
  readonly address: string
  readonly memberId: string

  constructor(parts: Pick<Box, 'organization' | 'id' | 'address' | 'memberId'>) {
    this.organization = parts.organization
    this.id = parts.id
    this.address = parts.address
    this.memberId = parts.memberId
  }

  /** A message arrives over SMTP, from Ann by default, a minute after the one before. */
  receive(message: SendMailOptions): Promise<void> {
    this.organization.world.clock.advance(60_000)
    return this.organization.world.send({ from: 'Ann <ann@peer.example>', to: this.address, ...message })
  }

  /** The messages of a folder, newest first. */
  async states(folder = 'inbox'): Promise<State[]> {
    const query = new URLSearchParams({ mailbox: this.address, folder, limit: '100' })
    const { status, body } = await this.organization.request('GET', `/v1/messages?${query}`)
    assert.equal(status, 200)
    return body.data.map(({ uid, subject, unread, starred, labels }: State) => ({
      ...{ uid, subject, unread, starred },
      labels: [...labels].sort(),
    }))
  }

  async change(uids: readonly number[], change: object): Promise<void> {
    const query = new URLSearchParams({ mailbox: this.address })
    const { status } = await this.organization.request('PATCH', `/v1/messages?${query}`, { uids, ...change })
    assert.equal(status, 200)
  }
}

export async function boxOf(world: World, { role = 'owner' }: { role?: 'owner' | 'member' } = {}): Promise<Box> {
  const organization = await world.organization()
  const { id, address } = await organization.mailbox('ada', { name: 'Ada Lovelace' })
  const { id: memberId } = await organization.member(address, role)
  return new Box({ organization, id, address, memberId })
}

/** The member's browser, signed in. */
export function reader(
  browser: Browser,
  { organization, memberId }: Box,
  options?: BrowserContextOptions,
): Promise<Visitor> {
  return Visitor.signIn(browser, organization, memberId, options)
}
