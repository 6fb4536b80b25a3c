import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { unfiledOrNotice } from '#test/threads/folders.ts'
import {
  type ExpectedWholeConversation,
  expectedWholeConversations,
  type FiledMessage,
  type PlacedMessage,
} from '#test/threads/oracle.ts'
import { storeMessages, subjectOf, textOf } from '#test/threads/store-messages.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

/** The last is none of a conversation's. */
const names = ['archive', 'inbox', 'sent', 'junk'] as const
type Name = (typeof names)[number]

/** What happens to a mailbox. Numbers pick among the messages that are there. */
type Happening =
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

test('after every change of a live mailbox its conversations are what the rule says, and every id it ever had resolves so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 12 }), async (happenings) => {
      const mail = await LiveMailbox.start()
      for (const one of happenings) {
        await mail.happen(one)
        await mail.assertListed()
      }
      await mail.assertIdsResolve()
    }),
    { numRuns: 12 },
  )
})

interface Listed {
  readonly id: string
  readonly awaiting: string | null
  readonly participants: readonly string[]
  readonly unread: boolean
}

/** A mailbox, and what must be in it. */
class LiveMailbox {
  readonly #organization: TestOrganization
  readonly #mailbox: MailboxRef
  readonly #query: string
  #messages: PlacedMessage[] = []
  readonly #nextUid = new Map<string, number>()
  /** Ids that conversations had, each with an id that named it then. */
  readonly #ids = new Map<string, readonly string[]>()
  /** Those of the last list, if nothing has happened since but moves between folders of conversations, and flags. */
  #unchanged: ReadonlySet<string> | undefined

  private constructor(organization: TestOrganization, { id, address }: { id: string; address: string }) {
    this.#organization = organization
    this.#mailbox = { organizationId: organization.id, mailboxId: id }
    this.#query = `mailbox=${address}`
  }

  static async start(): Promise<LiveMailbox> {
    const organization = await world.organization()
    return new LiveMailbox(organization, await organization.mailbox('ada'))
  }

  async happen(happening: Happening): Promise<void> {
    if (happening.what !== 'flag' && !this.#isMoveWithin(happening)) this.#unchanged = undefined
    if (happening.what === 'append') {
      await storeMessages(world, this.#mailbox, happening.messages, happening.folder)
      this.#file(happening.folder, happening.messages)
      return
    }
    const picked = this.#picked(happening.which)
    const to = happening.what === 'move' ? happening.folder : undefined
    for (const [from, there] of Map.groupBy(picked, (one) => one.folder)) {
      if (from === to) continue
      const uids = there.map(({ uid }) => uid).sort((a, b) => a - b)
      this.#messages = this.#messages.filter((one) => !there.includes(one))
      if (happening.what === 'expunge') await world.mailHost.expunge(this.#mailbox, from, uids)
      else
        await this.#change(from, uids, to ? { folder: to } : { unread: happening.what === 'flag' && !happening.seen })
      const ordered = there.toSorted((a, b) => a.uid - b.uid)
      if (to) this.#file(to, ordered)
      if (happening.what === 'flag') this.#messages.push(...there.map((one) => ({ ...one, seen: happening.seen })))
    }
  }

  #picked(which: readonly number[]): PlacedMessage[] {
    const { length } = this.#messages
    return this.#messages.filter((_, at) => which.some((one) => one % length === at))
  }

  #isMoveWithin(happening: Happening): boolean {
    if (happening.what !== 'move' || happening.folder === 'junk') return false
    return this.#picked(happening.which).every(({ folder }) => folder !== 'junk')
  }

  async assertListed(): Promise<void> {
    const expected = this.#expected()
    const { status, body } = await this.#get('/v1/conversations', '&limit=100')
    assert.equal(status, 200, JSON.stringify(body))
    const { data, ...page } = body
    assert.deepEqual(page, { total: expected.length, page: 0, has_more: false, next_cursor: null })
    for (const [at, conversation] of expected.entries()) {
      const { id, awaiting: _awaiting, ...listed } = data[at]
      assert.ok(rootsOf(conversation).includes(listed.root_message_id))
      assert.deepEqual(listed, { ...commonOf(conversation, listed), preview: textOf(last(conversation)) })
      this.#ids.set(id, conversation.roots)
    }
    const ids = new Set<string>(data.map(({ id }: { id: string }) => id))
    assert.equal(ids.size, data.length)
    if (this.#unchanged) assert.deepEqual(ids, this.#unchanged, 'moves change no id')
    this.#unchanged = ids
    await this.#assertNarrowed(data)
  }

  /** A list that is narrowed has those of the whole list that say so of themselves. */
  async #assertNarrowed(all: readonly Listed[]): Promise<void> {
    const idsOf = async (rest: string) => {
      const { status, body } = await this.#get('/v1/conversations', `&limit=100${rest}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.total, body.data.length)
      return body.data.map(({ id }: Listed) => id)
    }
    const fitting = (fits: (one: Listed) => boolean) => all.filter(fits).map(({ id }) => id)
    for (const [name, awaited] of [
      ['us', 'us'],
      ['them', 'them'],
      ['nobody', null],
    ] as const) {
      assert.deepEqual(
        await idsOf(`&awaiting=${name}`),
        fitting((one) => one.awaiting === awaited),
      )
    }
    const isFrom = (one: Listed) => one.participants.includes('ann@x.test')
    assert.deepEqual(await idsOf('&participant=Ann@x.test'), fitting(isFrom))
    assert.deepEqual(
      await idsOf('&participant=ann@x.test&awaiting=us&unread=true'),
      fitting((one) => isFrom(one) && one.awaiting === 'us' && one.unread),
    )
  }

  /** Each to the conversation that its root is an id of now, or to none where no message bears or names that. */
  async assertIdsResolve(): Promise<void> {
    const expected = this.#expected()
    for (const [id, roots] of this.#ids) {
      const { status, body } = await this.#get(`/v1/conversations/${id}`)
      const [root] = roots
      const conversation = expected.find(({ ids }) => ids.includes(root ?? ''))
      if (roots.length > 1) continue // which of them is a matter of their hashes
      assert.equal(status, conversation ? 200 : 404)
      if (!conversation) continue
      const { id: now, messages, awaiting: _awaiting, ...common } = body
      assert.deepEqual(common, commonOf(conversation, common))
      assert.deepEqual(
        messages.map(({ folder, uid, subject, unread }: Record<string, unknown>) => ({ folder, uid, subject, unread })),
        conversation.messages.map((one) => ({
          ...{ folder: one.folder, uid: one.uid, subject: subjectOf(one) },
          unread: !one.seen,
        })),
      )
      assert.ok(messages.every((one: Record<string, unknown>) => one.conversation_id === now))
    }
  }

  #expected(): ExpectedWholeConversation[] {
    return expectedWholeConversations(this.#messages.filter((one) => one.folder !== 'junk'))
  }

  #file(name: Name, filed: readonly Omit<FiledMessage, 'uid'>[]): void {
    for (const message of filed) {
      const uid = this.#nextUid.get(name) ?? 1
      this.#messages.push({ ...message, folder: name, uid })
      this.#nextUid.set(name, uid + 1)
    }
  }

  async #change(from: string, uids: readonly number[], change: object): Promise<void> {
    const path = `/v1/messages?${this.#query}&folder=${from}`
    const { status, body } = await this.#organization.request('PATCH', path, { uids, ...change })
    assert.deepEqual([status, body.not_found], [200, []])
  }

  #get(path: string, rest = '') {
    return this.#organization.request('GET', `${path}?${this.#query}${rest}`)
  }
}

/** What both the list and the detail show; `shown` decides between roots of messages received at once. */
function commonOf(conversation: ExpectedWholeConversation, shown: { root_message_id: string }) {
  const { messages, unread, lastReceivedAt, participants } = conversation
  const places = [...Map.groupBy(messages, (one) => one.folder)].map(([name, there]) => ({
    ...{ folder: name, uids: there.map(({ uid }) => uid) },
  }))
  return {
    subject: subjectOf(messages[0] as PlacedMessage),
    root_message_id: shown.root_message_id,
    folders: places.map((one) => one.folder),
    ...{ places, message_count: messages.length, unread, participants },
    last_message_at: new Date(lastReceivedAt).toISOString(),
  }
}

/** As they are shown: an arrival is no Message-ID. */
function rootsOf({ roots }: ExpectedWholeConversation): string[] {
  return roots.map((root) => (root.startsWith('<') ? root : ''))
}

function last({ messages }: ExpectedWholeConversation): PlacedMessage {
  return messages.at(-1) as PlacedMessage
}
