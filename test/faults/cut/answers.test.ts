// On a server: connections are cut.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify, { type FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { Caller } from '#/http/access/caller.ts'
import { answerError } from '#/http/answers/answer-errors.ts'
import { answerClaimed, progressOf } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
import { changeMany, changeOne } from '#/mail/messages/change/make-change.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readSummaries } from '#/mail/store/read.ts'
import type { Place } from '#/mail/store/update.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { keyring } from '#test/world/installation.ts'
import { copy } from '#test/world/letters/letters.ts'
import { newMailbox, storeCopies } from '#test/world/mail/mailboxes.ts'
import { MortalDatabase } from './mortal-database.ts'

const database = await databaseOfFile()

interface Parts {
  readonly db: Db
}

type Work = (parts: Parts, request: FastifyRequest, mailbox: MailboxRef) => Promise<object | undefined>

/** What a process on the database answers to the request, which always has the same key. */
async function answerOf(db: Db, mailbox: MailboxRef, work: Work): Promise<{ status: number; body: unknown }> {
  const app = fastify()
  app.decorate('answersKey', sealingKey(keyring, 'kept answers'))
  app.setErrorHandler(answerError)
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    const { organizationId } = mailbox
    const caller = Caller.unrestricted(organizationId)
    Object.assign(request, { caller, organizationId, actorId: 'one', actor: byOperator, fingerprint: null })
  })
  app.patch('/messages', async (request, reply) => {
    await answerClaimed(db, request, reply, async () =>
      ok((await work({ db }, request, mailbox)) ?? assert.fail('it is there')),
    )
    return reply
  })
  try {
    const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/messages`
    const response = await fetch(url, { method: 'PATCH', headers: { 'idempotency-key': 'key' } })
    return { status: response.status, body: await response.json() }
  } finally {
    await app.close()
  }
}

const change = { flagged: true, folder: 'B' }

for (const [what, work, answer] of [
  [
    'many messages are moved',
    (parts, request, mailbox) => changeMany(parts, request, mailbox, { name: 'A', uids: [1, 2, 9], change }),
    (ids) => {
      const moved = [1, 2].map((uid) => ({ id: ids.get(uid), uid, new_uid: uid + 1 }))
      return { updated: [1, 2], not_found: [9], moved }
    },
  ],
  [
    'a message is moved',
    async (parts, request, mailbox) =>
      progressOf<Place>(request) ?? (await changeOne(parts, request, mailbox, { name: 'A', uid: 1, change })),
    () => ({ folder: 'B', uid: 2 }),
  ],
] satisfies [string, Work, (ids: ReadonlyMap<number, string>) => object][])
  for (const when of ['before', 'after'] as const)
    test(`whichever statement a process dies ${when} while ${what}, the repeated request gets the answer of one change`, async () => {
      for (let at = 1, died = true; died; at++) {
        const context = `${when} statement ${at}`
        const mailbox = await newMailbox(database.db, 'ada')
        const copies = [...'AA', ...'B'].map((folder) => copy(mailbox, { folder }))
        await storeCopies(database.db, copies)
        const messages = await readSummaries(database.db, mailbox, 'A', [1, 2])
        const expected = answer(new Map(messages.map(({ uid, id }) => [uid, id])))
        const mortal = new MortalDatabase(database, at, when)
        const first = await answerOf(mortal.db, mailbox, work)
        died = mortal.statements >= at
        assert.equal(first.status, died ? 500 : 200, context)
        await sql`update idempotency_keys set claimed_until = clock_timestamp() where claimed_until is not null`.execute(
          database.db,
        )
        const { status, body } = await answerOf(database.db, mailbox, work)
        const changes = await database.db
          .selectFrom('changes')
          .select('id')
          .where('organization_id', '=', mailbox.organizationId)
          .execute()
        const named = changes.map(({ id }) => ({ change_id: id, ...expected }))
        assert.deepEqual([status, body], [200, 'updated' in expected ? named[0] : expected], context)
        assert.equal(changes.length, 'updated' in expected ? 1 : 0, context)
        assert.ok(at < 50, 'it ends')
      }
    })
