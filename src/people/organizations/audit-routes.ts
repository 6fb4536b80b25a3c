import { actionIn, type Entry, entriesOf } from '#/base/audit/queries.ts'
import type { Db } from '#/base/db/schema.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { App } from '#/http/app-type.ts'
import { numberedPlace, paged } from '#/http/schemas/cursor.ts'
import { inPages, Line, ListOf, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import { Type } from '#/http/schemas/type.ts'

const most = 1_000
const usual = 100

const Settings = Nullable(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: "The item's settings; null if there was nothing, or if nothing is left.",
  }),
)

const AuditEntry = Type.Object(
  {
    id: Type.Integer({ description: 'It grows with time.', examples: [1_024] }),
    at: Timestamp,
    actor: Type.Object({
      kind: OneOf(['key', 'operator', 'member', 'service', 'single_sign_on']),
      id: Nullable(Type.String({ format: 'uuid' })),
      name: Type.String({
        description: "A member's address, or the name by which a key is shown.",
        examples: ['ada@tryout.test'],
      }),
      address: Nullable(Type.String({ description: 'The address of the client.', examples: ['192.0.2.7'] })),
    }),
    action: Type.String({ description: 'What was done to what: `item.deed`.', examples: ['label.changed'] }),
    item: Type.Object({ id: Nullable(Type.String()), name: Type.String({ examples: ['Invoices'] }) }),
    before: Settings,
    after: Settings,
  },
  { title: 'AuditEntry' },
)

/** The organization's audit trail, for members whose role allows it. */
export function auditRoutes(app: App, { db }: { readonly db: Db }): void {
  app.get(
    '/v1/audit',
    {
      ...hiddenFromKeys,
      config: { access: 'member', permission: 'read_audit', noun: 'Audit trail' },
      schema: {
        summary: 'Read the audit trail',
        operationId: 'listAuditEntries',
        description: 'Lists who changed which settings, newest first.',
        querystring: Strict({
          action: Type.Optional(
            Line({
              description: 'Only one action, such as `label.created`, or all of an item, such as `label`.',
              examples: ['member'],
            }),
          ),
          actor: Type.Optional(
            Line({
              description: 'Only entries of an actor: its kind, its id, or the beginning of its name.',
              examples: ['member'],
            }),
          ),
          since: Type.Optional(
            Line({
              description: 'Only from this time on: RFC 3339 with an offset.',
              examples: ['2026-11-21T00:00:00Z'],
            }),
          ),
          ...inPages(most, usual),
        }),
        response: { 200: ListOf(AuditEntry) },
      },
    },
    async ({ organizationId, query: { action, actor, since, cursor, limit = usual } }) => {
      const list = [organizationId, 'audit', action ?? null, actor ?? null, since ?? null]
      const wanted = {
        action: action === undefined ? undefined : actionIn(action),
        actor,
        since: since === undefined ? undefined : timestamp(since, 'since'),
        before: numberedPlace(cursor, list),
      }
      const entries = await entriesOf(db, organizationId, wanted, limit + 1)
      const { page, next_cursor } = paged(entries, { limit, list, placeOf: ({ id }) => [id] })
      return { data: page.map(present), next_cursor }
    },
  )
}

function present({ at, before, after, ...entry }: Entry) {
  return { ...entry, at: at.toISOString(), before: before && { ...before }, after: after && { ...after } }
}
