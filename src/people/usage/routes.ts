import type { Db } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { App } from '#/http/app-type.ts'
import { Type } from '#/http/schemas/type.ts'
import { mailboxIdsOf } from '#/mail/mailboxes/queries.ts'
import { storageOf, storageUsed } from '#/mail/store/storage.ts'
import { usageOf } from './queries.ts'
import { present, type Usage as Used } from './usage.ts'

const Count = Type.Integer({ minimum: 0 })
const Of = { used: Count, limit: Count, remaining: Count }

const Usage = Type.Object(
  {
    plan: Type.String(),
    mailboxes: Type.Object(Of),
    domains: Type.Object(Of),
    storage: Type.Object({ used_bytes: Count, limit_bytes: Count, remaining_bytes: Count }),
    sending: Type.Object(
      { sent_today: Count, limit_per_day: Count, remaining_today: Count },
      { description: 'Counted by recipient, over the UTC day.' },
    ),
  },
  {
    title: 'Usage',
    examples: [
      {
        plan: 'team',
        mailboxes: { used: 2, limit: 25, remaining: 23 },
        domains: { used: 1, limit: 5, remaining: 4 },
        storage: { used_bytes: 104_857, limit_bytes: 268_435_456_000, remaining_bytes: 268_435_351_143 },
        sending: { sent_today: 12, limit_per_day: 2_000, remaining_today: 1_988 },
      },
    ],
  },
)

export function usageRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/usage',
    {
      config: { scope: 'usage:read', noun: 'Usage', errors: ['mail_unavailable'] },
      schema: {
        summary: 'Show usage against the plan',
        operationId: 'getUsage',
        description:
          'Advisory, not a reservation: a later request may still exceed a limit. `remaining` is never below zero, though ' +
          'an organization can be over its limit after a change of plan.',
        response: { 200: Usage },
      },
    },
    async ({ caller }) => present(await usageFor(db, caller)),
  )
}

/** A key that is restricted to mailboxes sees the number and storage of these only. */
async function usageFor(db: Db, caller: Caller): Promise<Used> {
  const { organizationId } = caller
  if (caller.seesWholeUsage) return usageOf(db, organizationId, await storageUsed(db, organizationId))
  const ids = await mailboxIdsOf(db, caller)
  const stored = await storageOf(
    db,
    ids.map((mailboxId) => ({ organizationId, mailboxId })),
  )
  const octets = [...stored.values()].reduce((sum, one) => sum + one, 0)
  const { mailboxes, ...usage } = await usageOf(db, organizationId, octets)
  return { ...usage, mailboxes: { ...mailboxes, used: ids.length } }
}
