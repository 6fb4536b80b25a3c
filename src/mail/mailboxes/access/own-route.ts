import { accessEntriesOf, type Entry } from '#/base/audit/queries.ts'
import type { Db } from '#/base/db/schema.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import { levels } from '#/http/access/caller.ts'
import type { App } from '#/http/app-type.ts'
import { numberedPlace, paged } from '#/http/schemas/cursor.ts'
import { Id, inPages, ListOf, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import type { RecordedAccess } from './access.ts'
import { ownMailboxIds } from './queries.ts'

const most = 100

const Level = Nullable(OneOf(levels))

const ChangeOut = Type.Object(
  {
    id: Type.Integer({ description: 'It grows with time.', examples: [17] }),
    at: Timestamp,
    by: Type.Object({
      kind: OneOf(['member', 'operator'], { description: '`operator`: the command line.' }),
      name: Type.String({ description: "A member's address; empty for the operator.", examples: ['ada@tryout.test'] }),
    }),
    mailbox: Type.String({ description: 'The address of the mailbox.', examples: ['grace@tryout.test'] }),
    member: Type.Object({ id: Id, email: Type.String({ examples: ['ada@tryout.test'] }) }),
    before: Level,
    after: Level,
  },
  { title: 'MailboxAccessChange' },
)

/** Shows a member the changes of access to their own mailboxes. */
export function ownAccessRoute(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/me/access',
    {
      ...hiddenFromKeys,
      config: { access: 'member', noun: 'Shared mailboxes' },
      schema: {
        summary: 'List changes of access to your mailboxes',
        operationId: 'listAccessChanges',
        description: 'Changes of access to the member’s own mailboxes: entries of the audit trail, newest first.',
        querystring: Strict(inPages(most, most)),
        response: { 200: ListOf(ChangeOut) },
      },
    },
    async ({ organizationId, actorId, query: { limit = most, cursor } }) => {
      const list = [organizationId, 'access changes', actorId]
      const mailboxIds = await ownMailboxIds(db, organizationId, actorId)
      const entries = await accessEntriesOf(
        db,
        organizationId,
        { mailboxIds, before: numberedPlace(cursor, list) },
        limit + 1,
      )
      const { page, next_cursor } = paged(entries, { limit, list, placeOf: ({ id }) => [id] })
      return { data: page.map(present), next_cursor }
    },
  )
}

function present({ id, at, actor, item, before, after }: Entry) {
  const [was, is] = [before, after] as (RecordedAccess | null)[]
  const { member_id = '', member = '' } = is ?? was ?? {}
  const kind = actor.kind === 'member' ? ('member' as const) : ('operator' as const)
  return {
    ...{ id, at: at.toISOString(), by: { kind, name: actor.name }, mailbox: item.name },
    ...{ member: { id: member_id, email: member }, before: was?.level ?? null, after: is?.level ?? null },
  }
}
