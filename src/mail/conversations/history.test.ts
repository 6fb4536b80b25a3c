import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Happening, happenings, LiveMailbox } from '#test/mail/threads/live-mailbox.ts'
import {
  type ExpectedWholeConversation,
  expectedWholeConversations,
  idOf,
  type PlacedMessage,
} from '#test/mail/threads/oracle.ts'
import { subjectOf, textOf } from '#test/mail/threads/store-messages.ts'
import { each } from '#test/world/each.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

test('after every change of a live mailbox its conversations are what the rule says, and every id it ever had resolves so', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (all) => {
      const seen = new Seen(await LiveMailbox.start(world))
      for (const one of all) {
        await seen.happen(one)
        await seen.assertListed()
      }
      await seen.assertIdsResolve()
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

/** The conversations of a mailbox, and what they must be. */
class Seen {
  readonly #mail: LiveMailbox
  /** Ids that conversations had, each with an id that named it then. */
  readonly #ids = new Map<string, readonly string[]>()
  /** Those of the last list, if nothing has happened since but moves between folders of conversations, and flags. */
  #unchanged: ReadonlySet<string> | undefined

  constructor(mail: LiveMailbox) {
    this.#mail = mail
  }

  async happen(happening: Happening): Promise<void> {
    if (happening.what !== 'flag' && !this.#isMoveWithin(happening)) this.#unchanged = undefined
    await this.#mail.happen(happening)
  }

  #isMoveWithin(happening: Happening): boolean {
    if (happening.what !== 'move' || happening.folder === 'junk') return false
    return this.#mail.picked(happening.which).every(({ folder }) => folder !== 'junk')
  }

  async assertListed(): Promise<void> {
    const expected = this.#expected()
    const { status, body } = await this.#mail.get('/v1/conversations', '&limit=100')
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
      const { status, body } = await this.#mail.get('/v1/conversations', `&limit=100${rest}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.total, body.data.length)
      return body.data.map(({ id }: Listed) => id)
    }
    const fitting = (fits: (one: Listed) => boolean) => all.filter(fits).map(({ id }) => id)
    for (const side of ['us', 'them', null]) {
      const awaited = fitting((one) => one.awaiting === side)
      assert.deepEqual(await idsOf(`&awaiting=${side ?? 'nobody'}`), awaited)
    }
    const isFrom = (one: Listed) => one.participants.includes('ann@x.test')
    assert.deepEqual(await idsOf('&participant=Ann@x.test'), fitting(isFrom))
    const narrowed = fitting((one) => isFrom(one) && one.awaiting === 'us' && one.unread)
    assert.deepEqual(await idsOf('&participant=ann@x.test&awaiting=us&unread=true'), narrowed)
  }

  /** Each to the conversation that its root is an id of now, or to none where no message bears or names that. */
  async assertIdsResolve(): Promise<void> {
    const expected = this.#expected()
    for (const [id, roots] of this.#ids) {
      const { status, body } = await this.#mail.get(`/v1/conversations/${id}`)
      const [root] = roots
      const conversation = expected.find(({ ids }) => ids.includes(root ?? ''))
      if (roots.length > 1) continue // which of them is a matter of their hashes
      assert.equal(status, conversation ? 200 : 404)
      if (!conversation) continue
      const { id: now, messages, awaiting: _awaiting, ...common } = body
      assert.deepEqual(common, commonOf(conversation, common))
      const held = conversation.messages.map((one) => [one.folder, one.uid, subjectOf(one), !one.seen])
      assert.deepEqual(each(messages, 'folder', 'uid', 'subject', 'unread'), held)
      assert.ok(messages.every((one: Record<string, unknown>) => one.conversation_id === now))
    }
  }

  #expected(): ExpectedWholeConversation[] {
    return expectedWholeConversations(this.#mail.messages.filter((one) => one.folder !== 'junk'))
  }
}

/** What both the list and the detail show; `shown` decides between roots of messages received at once. */
function commonOf(conversation: ExpectedWholeConversation, shown: { root_message_id: string }) {
  const { messages, unread, lastReceivedAt, participants } = conversation
  const places = [...Map.groupBy(messages, (one) => one.folder)].map(([name, there]) => ({
    ...{ folder: name, uids: there.map(({ uid }) => uid), ids: there.map(idOf) },
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
