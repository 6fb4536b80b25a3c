import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readPublicId } from '#/base/text/message-id.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readSummaries } from '#/mail/store/read.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'
import { unfiledOrNotice } from './folders.ts'
import type { FiledMessage, PlacedMessage } from './oracle.ts'
import { storeMessages } from './store-messages.ts'

/** The last is none of a conversation's. */
const names = ['archive', 'inbox', 'sent', 'junk'] as const
export type Name = (typeof names)[number]

/** What happens to a mailbox. Numbers pick among the messages that are there. */
export type Happening =
  | { what: 'append'; folder: Name; messages: Omit<FiledMessage, 'uid'>[] }
  | { what: 'flag'; which: number[]; seen: boolean }
  | { what: 'move'; which: number[]; folder: Name }
  | { what: 'expunge'; which: number[] }

const folder = fc.constantFrom(...names)
const which = fc.array(fc.nat(), { minLength: 1, maxLength: 4 })
/** IMAP keeps whole seconds. */
const letter = unfiledOrNotice.map((one) => ({ ...one, receivedAt: Math.floor(one.receivedAt / 1_000) * 1_000 }))
const messages = fc.array(letter, { minLength: 1, maxLength: 5 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('append'), folder, messages }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('flag'), which, seen: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('move'), which, folder }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('expunge'), which }) },
)
export const happenings = fc.array(happening, { minLength: 4, maxLength: 12 })

/** A mailbox, and what must be in it. */
export class LiveMailbox {
  readonly #world: World
  readonly #organization: TestOrganization
  readonly #mailbox: MailboxRef
  readonly #query: string
  #messages: PlacedMessage[] = []
  readonly #nextUid = new Map<string, number>()

  private constructor(world: World, organization: TestOrganization, { id, address }: { id: string; address: string }) {
    this.#world = world
    this.#organization = organization
    this.#mailbox = { organizationId: organization.id, mailboxId: id }
    this.#query = `mailbox=${address}`
  }

  static async start(world: World): Promise<LiveMailbox> {
    const organization = await world.organization()
    return new LiveMailbox(world, organization, await organization.mailbox('ada'))
  }

  get messages(): readonly PlacedMessage[] {
    return this.#messages
  }

  async happen(happening: Happening): Promise<void> {
    if (happening.what === 'append') {
      await storeMessages(this.#world, this.#mailbox, happening.messages, happening.folder)
      await this.#number(this.#file(happening.folder, happening.messages))
      return
    }
    const to = happening.what === 'move' ? happening.folder : undefined
    for (const [from, there] of Map.groupBy(this.picked(happening.which), (one) => one.folder)) {
      if (from === to) continue
      const ordered = there.toSorted((a, b) => a.uid - b.uid)
      const uids = ordered.map(({ uid }) => uid)
      this.#messages = this.#messages.filter((one) => !there.includes(one))
      if (happening.what === 'expunge') await expungeMessages(this.#world.db, this.#mailbox, from, uids)
      else
        await this.#change(from, uids, to ? { folder: to } : { unread: happening.what === 'flag' && !happening.seen })
      if (to) this.#file(to, ordered)
      if (happening.what === 'flag') this.#messages.push(...there.map((one) => ({ ...one, seen: happening.seen })))
    }
  }

  picked(which: readonly number[]): PlacedMessage[] {
    const { length } = this.#messages
    return this.#messages.filter((_, at) => which.some((one) => one % length === at))
  }

  get(path: string, rest = ''): Promise<Answer> {
    return this.#organization.request('GET', `${path}?${this.#query}${rest}`)
  }

  #file(name: Name, filed: readonly Omit<FiledMessage, 'uid'>[]): PlacedMessage[] {
    const first = this.#nextUid.get(name) ?? 1
    const placed = filed.map((message, at) => ({ ...message, folder: name, uid: first + at }))
    this.#nextUid.set(name, first + placed.length)
    this.#messages.push(...placed)
    return placed
  }

  /** Notes the numbers of new messages, which stay. */
  async #number(placed: readonly PlacedMessage[]): Promise<void> {
    for (const message of placed) {
      const [summary] = await readSummaries(this.#world.db, this.#mailbox, message.folder, [message.uid])
      Object.assign(message, { number: readPublicId(summary?.id ?? '') })
    }
  }

  async #change(from: string, uids: readonly number[], change: object): Promise<void> {
    const path = `/v1/messages?${this.#query}&folder=${from}`
    const { status, body } = await this.#organization.request('PATCH', path, { uids, ...change })
    assert.deepEqual([status, body.not_found], [200, []])
  }
}
