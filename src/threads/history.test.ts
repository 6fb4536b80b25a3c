import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { Answer } from '#test/sockets/http-client.ts'
import { unfiledOrNotice } from '#test/threads/folders.ts'
import { type ExpectedConversation, expectedConversations, type FiledMessage } from '#test/threads/oracle.ts'
import { storeMessages, subjectOf, textOf } from '#test/threads/store-messages.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

const folders = ['inbox', 'archive'] as const
type Folder = (typeof folders)[number]

/** What happens to a folder. Numbers pick among the messages that are there. */
type Happening =
  | { what: 'append'; folder: Folder; messages: Omit<FiledMessage, 'uid'>[] }
  | { what: 'flag'; folder: Folder; which: number[]; seen: boolean }
  | { what: 'move'; folder: Folder; which: number[] }
  | { what: 'expunge'; folder: Folder; which: number[] }

const folder = fc.constantFrom(...folders)
const which = fc.array(fc.nat(), { minLength: 1, maxLength: 4 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('append'),
      folder,
      messages: fc.array(unfiledOrNotice, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('flag'), folder, which, seen: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('move'), folder, which }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('expunge'), folder, which }) },
)

test('after every change of a live folder its conversations are what the rule says, and every id it ever had resolves so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 12 }), async (happenings) => {
      const mail = await LiveMail.start()
      for (const one of happenings) {
        await mail.happen(one)
        for (const name of folders) await mail.assertListed(name)
      }
      for (const name of folders) await mail.assertIdsResolve(name)
    }),
    { numRuns: 15 },
  )
})

/** Two folders of a mailbox, and what must be in them. */
class LiveMail {
  readonly #organization: TestOrganization
  readonly #mailbox: MailboxRef
  readonly #query: string
  readonly #messages = { inbox: [] as FiledMessage[], archive: [] as FiledMessage[] }
  readonly #nextUid = { inbox: 1, archive: 1 }
  /** Ids that conversations had, with the root that they were named after, or the uid where that is no id. */
  readonly #ids = { inbox: new Map<string, string | number>(), archive: new Map<string, string | number>() }

  private constructor(organization: TestOrganization, { id, address }: { id: string; address: string }) {
    this.#organization = organization
    this.#mailbox = { organizationId: organization.id, mailboxId: id }
    this.#query = `mailbox=${address}`
  }

  static async start(): Promise<LiveMail> {
    const organization = await world.organization()
    return new LiveMail(organization, await organization.mailbox('ada'))
  }

  async happen(happening: Happening): Promise<void> {
    const { folder } = happening
    if (happening.what === 'append') {
      await storeMessages(world, this.#mailbox, happening.messages, folder)
      this.#file(folder, happening.messages)
      return
    }
    const here = this.#messages[folder]
    const uids = new Set(happening.which.flatMap((which) => here[which % Math.max(1, here.length)]?.uid ?? []))
    if (uids.size === 0) return
    const picked = here.filter(({ uid }) => uids.has(uid))
    if (happening.what === 'flag') {
      await this.#change(folder, uids, { unread: !happening.seen })
      this.#messages[folder] = here.map((one) => (uids.has(one.uid) ? { ...one, seen: happening.seen } : one))
      return
    }
    this.#messages[folder] = here.filter(({ uid }) => !uids.has(uid))
    if (happening.what === 'expunge') {
      await world.mailHost.expunge(this.#mailbox, folder, [...uids])
      return
    }
    const target = folder === 'inbox' ? 'archive' : 'inbox'
    await this.#change(folder, uids, { folder: target })
    this.#file(target, picked)
  }

  async assertListed(folder: Folder): Promise<void> {
    const expected = expectedConversations(this.#messages[folder])
    const { body } = await this.#get('/v1/threads', folder)
    const { data, ...page } = body
    assert.deepEqual(page, { total: expected.length, page: 0, has_more: false, next_cursor: null })
    assert.deepEqual(
      data.map(({ id: _, ...thread }: { id: string }) => thread),
      expected.map((conversation) => this.#listed(conversation, folder)),
    )
    const ids: string[] = data.map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const [place, id] of ids.entries()) {
      const { root = null, lowestUid = 0 } = expected[place] ?? {}
      this.#ids[folder].set(id, root ?? lowestUid)
    }
  }

  /** Each id to the conversation that its root is an id of now, or to none where no message bears or names that. */
  async assertIdsResolve(folder: Folder): Promise<void> {
    const expected = expectedConversations(this.#messages[folder])
    for (const [id, root] of this.#ids[folder]) {
      const conversation = expected.find(({ ids, uids }) =>
        typeof root === 'string' ? ids.includes(root) : uids.includes(root),
      )
      const { status, body } = await this.#get(`/v1/threads/${id}`, folder)
      if (conversation) this.#assertRead(body, conversation, folder)
      else assert.equal(status, 404)
    }
  }

  #assertRead(body: Answer['body'], conversation: ExpectedConversation, folder: Folder): void {
    const { subject, root_message_id } = this.#listed(conversation, folder)
    assert.equal(this.#ids[folder].get(body.id), conversation.root ?? conversation.lowestUid)
    assert.deepEqual(body, {
      id: body.id,
      subject,
      root_message_id,
      folder,
      messages: conversation.uids.map((uid) => ({
        ...body.messages.find((one: { uid: number }) => one.uid === uid),
        ...this.#presented(folder, uid),
      })),
    })
  }

  #listed({ root, uids, unread, lastReceivedAt, participants }: ExpectedConversation, folder: Folder) {
    const [oldest, newest] = [this.#message(folder, uids.at(0)), this.#message(folder, uids.at(-1))]
    return {
      subject: subjectOf(oldest),
      root_message_id: root ?? '',
      folder,
      message_count: uids.length,
      unread,
      last_message_at: new Date(lastReceivedAt).toISOString(),
      participants,
      preview: textOf(newest),
      uids,
    }
  }

  #presented(folder: Folder, uid: number) {
    const message = this.#message(folder, uid)
    return {
      uid,
      subject: subjectOf(message),
      from: { name: message.sender && 'Somebody', address: message.sender },
      received_at: new Date(message.receivedAt).toISOString(),
      unread: !message.seen,
      starred: false,
      has_attachment: false,
      preview: textOf(message),
    }
  }

  #message(folder: Folder, uid: number | undefined): FiledMessage {
    const message = this.#messages[folder].find((one) => one.uid === uid)
    assert.ok(message)
    return message
  }

  #file(folder: Folder, messages: readonly Omit<FiledMessage, 'uid'>[]): void {
    for (const message of messages) this.#messages[folder].push({ ...message, uid: this.#nextUid[folder]++ })
  }

  async #change(folder: Folder, uids: ReadonlySet<number>, change: object): Promise<void> {
    const path = `/v1/messages?${this.#query}&folder=${folder}`
    const { status, body } = await this.#organization.request('PATCH', path, { uids: [...uids], ...change })
    assert.deepEqual([status, body.not_found], [200, []])
  }

  #get(path: string, folder: Folder) {
    const limit = path === '/v1/threads' ? '&limit=100' : ''
    return this.#organization.request('GET', `${path}?${this.#query}&folder=${folder}${limit}`)
  }
}
