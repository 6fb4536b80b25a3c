import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { byOperator } from '#/base/audit/actor.ts'
import { claimScheduled, claimSuspect, claimWaiting, mostAttempts, reclaimExpired } from '#/out/queue/claims.ts'
import type { QueuedMessage } from '#/out/queue/message.ts'
import type { Outcome } from '#/out/relay/relay.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { mailKey } from '#test/world/installation.ts'
import { addScheduled } from '#test/world/mail/queued.ts'
import { attempt } from './attempt.ts'
import type { AttemptDependencies } from './dependencies.ts'

const minute = 60_000

/** Attempts at a message that nobody has yet, each with what its recipients are answered; `dies` is a worker that ended. */
for (const [what, attempts, expected] of [
  ['waits for the next round, each recipient with its reason', ['deferred deferred'], ['sending', ['Later', 'Later']]],
  ['is tried again where one has refused it and another has not', ['refused deferred'], ['sending', ['No', 'Later']]],
  ['has not failed by a worker that has lost one of its recipients', ['refused lost'], ['sending', [null, null]]],
  ['has failed where all have refused it', ['refused refused'], ['failed', [null, null]]],
  ['has failed after three attempts', Array(mostAttempts).fill('deferred deferred'), ['failed', ['Later', 'Later']]],
  [
    'is not tried less often because a worker died over it',
    ['dies', ...Array(mostAttempts - 1).fill('deferred deferred')],
    ['sending', ['Later', 'Later']],
  ],
  ['has failed once three workers died over it', [...Array(mostAttempts).fill('dies'), ''], ['failed', [null, null]]],
] as const)
  test(`a scheduled message ${what}`, async () => {
    await using database = await testDatabase()
    const { db } = database
    let now = new Date('2026-11-21T08:00:00Z')
    const { id: organizationId } = await createOrganization(db, { name: randomUUID(), plan: 'team' }, byOperator)
    await addScheduled(db, organizationId, ['a@x', 'b@x'], now)
    const deps = (answers: string): AttemptDependencies =>
      ({
        ...{ db, mailKey, log: pino({ level: 'silent' }), ambiguous: 'retry', time: async () => now },
        nextRound: () => now,
        envelopeSender: ({ sender }: QueuedMessage) => sender,
        depart: async ({ message }: { message: QueuedMessage }) => ({ message, routes: new Map() }),
        relay: {
          deliver: async ({ recipients }: { recipients: readonly string[] }) => {
            const lost = db.updateTable('outbound_recipients').set({ lease_epoch: 9 })
            if (answers.endsWith('lost')) await lost.where('recipient', '=', recipients.at(-1) ?? '').execute()
            return recipients.map((recipient, at) => outcome(recipient, answers.split(' ')[at]))
          },
        },
      }) as unknown as AttemptDependencies
    for (const answers of attempts) {
      const { claims } = await claimScheduled(db, mailKey, now)
      const batch = claims[0]?.batch ?? (await again())
      if (answers !== 'dies') await attempt(deps(answers), batch, undefined, new AbortController().signal)
      now = new Date(now.getTime() + 30 * minute)
      await reclaimExpired(db, now)
      now = new Date(now.getTime() + 30 * minute)
    }
    const { state } = await db.selectFrom('outbound_messages').select('state').executeTakeFirstOrThrow()
    const rows = await db.selectFrom('outbound_recipients').select('reason').orderBy('id').execute()
    assert.deepEqual([state, rows.map(({ reason }) => reason)], expected)

    async function again() {
      const batch = (await claimSuspect(db, now, [])) ?? (await claimWaiting(db, now, [], 1))[0]
      assert.ok(batch)
      return batch
    }
  })

function outcome(recipient: string, result = 'deferred'): Outcome {
  const refused = result !== 'deferred'
  const reason = refused ? 'No' : 'Later'
  return {
    ...{ recipient, reason, reply: null, host: null, ambiguous: false },
    ...(refused ? { result: 'refused', status: '5.1.1' } : { result: 'deferred', status: '4.7.1' }),
  }
}
