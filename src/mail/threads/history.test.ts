import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { happenings, LiveMailbox } from '#test/mail/threads/live-mailbox.ts'
import { type ExpectedConversation, expectedConversations, type FiledMessage, idOf } from '#test/mail/threads/oracle.ts'
import { subjectOf, textOf } from '#test/mail/threads/store-messages.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

test('after every change of a live folder its conversations are what the rule says, and every id it ever had resolves so', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (all) => {
      const mail = await LiveMailbox.start(world)
      const folders = ['inbox', 'archive'].map((name) => new SeenFolder(mail, name))
      for (const one of all) {
        await mail.happen(one)
        for (const folder of folders) await folder.assertListed()
      }
      for (const folder of folders) await folder.assertIdsResolve()
    }),
    { numRuns: 15 },
  )
})

/** The conversations of a folder, and what they must be. */
class SeenFolder {
  readonly #mail: LiveMailbox
  readonly #name: string
  /** Ids that conversations had, with the root that they were named after, or the uid where that is no id. */
  readonly #ids = new Map<string, string | number>()

  constructor(mail: LiveMailbox, name: string) {
    this.#mail = mail
    this.#name = name
  }

  async assertListed(): Promise<void> {
    const expected = expectedConversations(this.#messages)
    const { body } = await this.#mail.get('/v1/threads', `&folder=${this.#name}&limit=100`)
    const { data, ...page } = body
    assert.deepEqual(page, { total: expected.length, page: 0, has_more: false, next_cursor: null })
    const listed = data.map(({ id: _, ...thread }: { id: string }) => thread)
    assert.deepEqual(listed, expected.map(this.#listed, this))
    const ids: string[] = data.map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const [place, id] of ids.entries()) {
      const { root = null, lowestUid = 0 } = expected[place] ?? {}
      this.#ids.set(id, root ?? lowestUid)
    }
  }

  /** Each id to the conversation that its root is an id of now, or to none where no message bears or names that. */
  async assertIdsResolve(): Promise<void> {
    const expected = expectedConversations(this.#messages)
    for (const [id, root] of this.#ids) {
      const conversation = expected.find(({ ids, uids }) =>
        typeof root === 'string' ? ids.includes(root) : uids.includes(root),
      )
      const { status, body } = await this.#mail.get(`/v1/threads/${id}`, `&folder=${this.#name}`)
      if (conversation) this.#assertRead(body, conversation)
      else assert.equal(status, 404)
    }
  }

  #assertRead(body: Answer['body'], conversation: ExpectedConversation): void {
    const { subject, root_message_id } = this.#listed(conversation)
    assert.equal(this.#ids.get(body.id), conversation.root ?? conversation.lowestUid)
    assert.deepEqual(body, {
      id: body.id,
      subject,
      root_message_id,
      folder: this.#name,
      messages: conversation.uids.map((uid) => ({
        ...body.messages.find((one: { uid: number }) => one.uid === uid),
        ...this.#presented(uid),
      })),
    })
  }

  #listed({ root, uids, unread, lastReceivedAt, participants }: ExpectedConversation) {
    const [oldest, newest] = [this.#message(uids.at(0)), this.#message(uids.at(-1))]
    return {
      ...{ subject: subjectOf(oldest), root_message_id: root ?? '', folder: this.#name, message_count: uids.length },
      ...{ unread, last_message_at: new Date(lastReceivedAt).toISOString(), participants },
      ...{ preview: textOf(newest), uids, ids: uids.map((uid) => idOf(this.#message(uid))) },
    }
  }

  #presented(uid: number) {
    const message = this.#message(uid)
    return {
      ...{ uid, subject: subjectOf(message), unread: !message.seen, starred: false, has_attachment: false },
      from: { name: message.sender && 'Somebody', address: message.sender },
      ...{ received_at: new Date(message.receivedAt).toISOString(), preview: textOf(message) },
    }
  }

  #message(uid: number | undefined): FiledMessage {
    const message = this.#messages.find((one) => one.uid === uid)
    assert.ok(message)
    return message
  }

  get #messages(): readonly FiledMessage[] {
    return this.#mail.messages.filter(({ folder }) => folder === this.#name)
  }
}
