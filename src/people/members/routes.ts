import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { App } from '#/http/app-type.ts'
import { assertNoPage, paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, PageOf, paging, pathId, Strict } from '#/http/schemas/shared-schemas.ts'
import { memberById, memberCount, membersOf } from './queries.ts'
import { MemberOut, present } from './schemas.ts'

const most = 1_000

/** Members, whom keys can list. `src/people/sessions/invitation/routes.ts` changes them in sessions. */
export function memberRoutes(app: App, parts: { db: Db }): void {
  listRoute(app, parts)
  showRoute(app, parts)
}

function listRoute(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/members',
    {
      config: { scope: 'members:read', noun: 'Members' },
      schema: {
        summary: 'List members',
        operationId: 'listMembers',
        description: 'Lists members in the order in which they joined.',
        querystring: Strict(paging(most, most)),
        response: { 200: PageOf(MemberOut) },
      },
    },
    async ({ organizationId, query: { limit = most, page: asked, cursor } }) => {
      assertNoPage({ cursor, page: asked })
      const page = asked ?? 0
      const total = await memberCount(db, organizationId)
      const list = [organizationId, 'members']
      const after = timedPlace(cursor, list)
      const members = await membersOf(db, organizationId, { limit: limit + 1, offset: page * limit, after })
      const { page: found, next_cursor } = paged(members, { limit, list, placeOf: ({ at, id }) => [at, id] })
      return {
        data: found.map(({ at: _at, ...member }) => present(member)),
        total,
        page,
        has_more: next_cursor !== null,
        next_cursor,
      }
    },
  )
}

function showRoute(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/members/:id',
    {
      ...hiddenFromKeys,
      config: { access: 'member', noun: 'Members' },
      schema: { summary: 'Show a member', operationId: 'getMember', params: ById, response: { 200: MemberOut } },
    },
    async ({ organizationId, params }) => {
      const member = await memberById(db, organizationId, pathId(params.id, 'member'))
      if (!member) throw notFound('member')
      return present(member)
    },
  )
}
