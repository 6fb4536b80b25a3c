import assert from 'node:assert/strict'
import { readHeaders } from '#/mime/header/headers.ts'
import { type ThreadIds, threadIds } from '#/mime/header/references.ts'
import { idHash, idHashKey } from '#/mime/id-hash.ts'
import { readMessage } from '#/mime/message.ts'
import type { Copy } from '#/ports/mail-host.ts'
import { ThreadIndex } from '#/threads/index/thread-index.ts'
import { threadStep } from '#test/threads/rows.ts'
import { delivered } from '#test/world/mail/delivered.ts'
import type { World } from '#test/world/world.ts'
import type { OurReader } from './comparison.ts'

/** Straight from the index. */
export function indexReader(): OurReader {
  const key = idHashKey('any')
  const messages: { uid: number; ids: ThreadIds }[] = []
  return {
    file: ({ uid }, header) => void messages.push({ uid, ids: threadIds(readHeaders(header).headers) }),
    conversations() {
      const index = new ThreadIndex(messages.length, 1, (name) => idHash(key, name))
      const rest = { seen: false, receivedAt: 0, sender: '' }
      index.apply(threadStep(key, { appended: messages.map(({ uid, ids }) => ({ uid, ids, ...rest })) }))
      return index.page(index.total, 0).map(({ uids }) => [...uids])
    },
  }
}

/** Through the mail host into an inbox, and out of it over HTTP. */
export async function serviceReader(world: World): Promise<OurReader> {
  const organization = await world.organization({ plan: 'self_hosted' })
  const { id: mailboxId, address } = await organization.mailbox('ada')
  const mailbox = { organizationId: organization.id, mailboxId }
  const waiting: Copy[] = []
  const append = () => world.db.transaction().execute((tx) => world.mailHost.append(tx, waiting.splice(0)))
  return {
    async file(_, header) {
      const rest = { seen: false, flagged: false, keywords: [], filteredBy: [] }
      waiting.push({ mailbox, folder: 'inbox', message: readMessage(header), receivedAt: new Date(), ...rest })
      if (waiting.length === 200) await append()
    },
    async conversations() {
      if (waiting.length > 0) await append()
      await delivered(world.db, mailbox)
      const conversations: number[][] = []
      for (let page = 0; ; page++) {
        world.clock.advance(1_000)
        const answer = await organization.request('GET', `/v1/threads?mailbox=${address}&limit=100&page=${page}`)
        assert.equal(answer.status, 200)
        conversations.push(...answer.body.data.map(({ uids }: { uids: number[] }) => uids))
        if (!answer.body.has_more) return conversations
      }
    },
  }
}
