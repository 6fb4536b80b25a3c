import type { FastifyRequest } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import { type Caller, levels } from '#/http/access/caller.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { Id, ListOf, Nullable, OneOf, pathId, Strict, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { mailboxAtPath } from '../queries.ts'
import { ByAddress } from '../schemas.ts'
import { endAccess, giveAccess, type Sharing } from './access.ts'
import { type Access, accessOf } from './queries.ts'

const noun = 'Shared mailboxes'
const sharing = {
  ...hiddenFromKeys,
  config: { access: 'member', permission: 'manage_mailboxes', confirmed: true, noun },
} as const

const ByMember = Type.Object({ ...ByAddress.properties, member_id: Id })

const level = OneOf(levels, {
  description:
    '`read`: see its mail. `change`: labels, flags, moves and folders too. `send`: send, schedule, and set forwarding and auto-reply too.',
  examples: ['read'],
})

const AccessOut = Type.Object(
  {
    member_id: Id,
    email: Type.String({ examples: ['ada@tryout.test'] }),
    name: Type.String({ description: 'Empty if none was given.', examples: ['Ada Lovelace'] }),
    level: OneOf([...levels, 'own'], { description: '`own`: it is their own mailbox.', examples: ['read'] }),
    given_at: Nullable(
      Type.String({ format: 'date-time', description: 'Null for `own`.', examples: ['2026-11-21T07:44:33.123Z'] }),
    ),
  },
  { title: 'MailboxAccess' },
)

/** The member's own comes first. */
function placeOf({ given_at: at, member_id: id }: Access): [number, string] {
  return [at?.getTime() ?? 0, id]
}

/** Owners and admins share mailboxes with members. Nobody reads a mailbox by role. */
export function accessRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/mailboxes/:address/access',
    {
      ...hiddenFromKeys,
      config: { access: 'member', noun },
      schema: {
        summary: 'List who may use a mailbox',
        operationId: 'listMailboxAccess',
        description:
          'Lists the member whose own mailbox it is, and then those with whom it is shared. Owners, admins, and ' +
          'whoever may use the mailbox can ask.',
        params: ByAddress,
        querystring: Strict(wholeOrPages),
        response: { 200: ListOf(AccessOut) },
      },
    },
    async ({ caller, params, query }) => {
      const mailbox = await mailboxNamed(db, caller, params.address)
      const list = [mailbox.mailboxId, 'access']
      const { page, next_cursor } = pagedWhole(await accessOf(db, mailbox), query, { list, placeOf })
      return { data: page.map(present), next_cursor }
    },
  )

  app.put(
    '/v1/mailboxes/:address/access/:member_id',
    {
      ...sharing,
      schema: {
        summary: 'Share a mailbox with a member',
        operationId: 'giveMailboxAccess',
        description:
          "Gives a level, or changes it, within 5 seconds in every process. Only an owner shares a member's own mailbox, and " +
          'its member sees that (`GET /v1/me/access`). A Private mailbox is `invalid_request`.',
        params: ByMember,
        body: Strict({ level }),
        response: { 200: AccessOut },
      },
    },
    async (request) => {
      const change = await sharingIn(db, request, request.params)
      return await changeOnce(db, request, async (tx) => {
        await giveAccess(tx, change, request.body.level)
        const [access] = await accessOf(tx, change.mailbox, change.memberId)
        if (!access) throw notFound('access')
        return present(access)
      })
    },
  )

  app.delete(
    '/v1/mailboxes/:address/access/:member_id',
    {
      ...sharing,
      schema: {
        summary: 'End a member’s access to a mailbox',
        operationId: 'endMailboxAccess',
        description: 'The access ends within 5 seconds in every process. A member keeps their own mailbox.',
        params: ByMember,
        response: { 200: Type.Object({ deleted: Type.Literal(true), member_id: Id }) },
      },
    },
    async (request) => {
      const change = await sharingIn(db, request, request.params)
      return await changeOnce(db, request, async (tx) => {
        await endAccess(tx, change)
        return { deleted: true as const, member_id: change.memberId }
      })
    },
  )
}

async function sharingIn(
  db: Db,
  { caller, actor, member }: FastifyRequest,
  params: { address: string; member_id: string },
): Promise<Sharing> {
  const mailbox = await mailboxNamed(db, caller, params.address)
  const shares = member?.permissions.has('share_own_mailboxes') ? 'all' : 'unowned'
  return { mailbox, memberId: pathId(params.member_id, 'member'), shares, by: actor }
}

async function mailboxNamed(db: Db, caller: Caller, address: string): Promise<MailboxRef> {
  const { id } = await mailboxAtPath(db, caller, address)
  return { organizationId: caller.organizationId, mailboxId: id }
}

function present({ given_at, ...access }: Access) {
  return { ...access, given_at: given_at?.toISOString() ?? null }
}
