import type { Db } from '#/db/schema.ts'
import type { App } from '#/http/app-type.ts'
import { Id, OneOf, PageOf, paging, Strict, Timestamp } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { roles } from './member.ts'
import { memberCount, membersOf } from './queries.ts'

const Member = Type.Object(
  {
    id: Id,
    email: Type.String({ examples: ['ada@tryout.test'] }),
    name: Type.String({ description: 'Empty where none was given.', examples: ['Ada Lovelace'] }),
    role: OneOf(roles),
    joined_at: Timestamp,
  },
  { title: 'Member' },
)

const most = 1_000

export function memberRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/members',
    {
      config: { scope: 'members:read', noun: 'Members' },
      schema: {
        summary: 'List members',
        description: 'In the order in which they joined. Without `limit`, the first 1,000.',
        querystring: Strict(paging(most, most)),
        response: { 200: PageOf(Member) },
      },
    },
    async ({ organizationId, query: { limit = most, page = 0 } }) => {
      const total = await memberCount(db, organizationId)
      const members = await membersOf(db, organizationId, { limit, page })
      const data = members.map(({ joined_at, ...member }) => ({ ...member, joined_at: joined_at.toISOString() }))
      return { data, total, page, has_more: (page + 1) * limit < total }
    },
  )
}
