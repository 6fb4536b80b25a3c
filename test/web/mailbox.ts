import assert from 'node:assert/strict'
import type { SendMailOptions } from 'nodemailer'
import { byOperator } from '#/base/audit/actor.ts'
import type { Level } from '#/http/access/caller.ts'
import { giveAccess } from '#/mail/mailboxes/access/access.ts'
import { EventStream } from '#test/events/reader.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { World } from '#test/world/world.ts'

/** The state of a message in a list. */
export interface State {
  readonly uid: number
  readonly subject: string
  readonly unread: boolean
  readonly starred: boolean
  readonly labels: readonly string[]
}

interface Whole {
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly in_reply_to: string | null
  readonly to: readonly { address: string }[]
  readonly cc: readonly { address: string }[]
  readonly attachments: readonly { filename: string; content_id: string | null; size_bytes: number }[]
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
    const body = await this.organization.bodyOf(200, 'GET', `/v1/messages?${query}`)
    return body.data.map(({ uid, subject, unread, starred, labels }: State) => ({
      ...{ uid, subject, unread, starred },
      labels: [...labels].sort(),
    }))
  }

  /** The same once they are so; each event of the organization may have changed them. */
  async once(areSo: (states: readonly State[]) => boolean, folder?: string): Promise<State[]> {
    const { world, key } = this.organization
    await using events = await EventStream.open(world.base, { key, query: '?after=now' })
    for (let states = await this.states(folder); ; states = await this.states(folder)) {
      if (areSo(states)) return states
      assert.ok(await events.next(), 'the service goes on')
    }
  }

  /** The newest message of a folder, whole, once all that was sent has arrived. */
  async newest({ folder = 'inbox', of = this.address }: { folder?: string; of?: string } = {}): Promise<Whole> {
    await this.organization.world.outbound.processAll()
    const query = new URLSearchParams({ mailbox: of, folder })
    const listed = await this.organization.request('GET', `/v1/messages?${query}&limit=1`)
    assert.equal(listed.body.data.length, 1, `a message in ${folder} of ${of}`)
    return (await this.organization.request('GET', `/v1/messages/${listed.body.data[0].uid}?${query}`)).body
  }

  /** Makes something of the organization, and answers it. */
  // biome-ignore lint/suspicious/noExplicitAny: its answers are as the API describes them
  async make(path: string, body: object, by: Pick<TestOrganization, 'request'> = this.organization): Promise<any> {
    const answer = await by.request('POST', path, body)
    assert.ok(answer.status < 300, `${path}: ${answer.bytes}`)
    return answer.body
  }

  /** What the API lists at a path. */
  // biome-ignore lint/suspicious/noExplicitAny: its answers are as the API describes them
  async listed(path: string): Promise<any[]> {
    return (await this.organization.bodyOf(200, 'GET', path)).data
  }

  /** Shares it with another member. */
  async share(memberId: string, level: Level): Promise<void> {
    const mailbox = { organizationId: this.organization.id, mailboxId: this.id }
    const sharing = { mailbox, memberId, shares: 'all', by: byOperator } as const
    await this.organization.world.db.transaction().execute((tx) => giveAccess(tx, sharing, level))
  }

  /** The same mailbox, with another member. */
  of(memberId: string): Box {
    return new Box({ ...this, memberId })
  }

  /** Changes messages of the inbox, all or those for which it holds. */
  async change(change: object, which: (one: State) => boolean = () => true): Promise<void> {
    const uids = (await this.states()).filter(which).map(({ uid }) => uid)
    await this.organization.bodyOf(200, 'PATCH', `/v1/messages?mailbox=${this.address}`, { uids, ...change })
  }
}

export async function boxOf(world: World, role: 'owner' | 'member' = 'owner'): Promise<Box> {
  const organization = await world.organization()
  const { id, address } = await organization.mailbox('ada', { name: 'Ada Lovelace' })
  const { id: memberId } = await organization.member(address, role)
  return new Box({ organization, id, address, memberId })
}
