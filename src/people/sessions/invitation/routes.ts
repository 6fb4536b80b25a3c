import type { FastifyRequest } from 'fastify'
import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import { requestOrigin } from '#/http/access/session-cookie.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { ById, Id, pathId } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { admitMember, changeRole, dismissMember, type Manager } from '#/people/members/members.ts'
import { MemberChange, MemberOut, NewMember, present } from '#/people/members/schemas.ts'
import type { LinkMail } from '../link-mail.ts'
import { Invitation, InvitedMember, inviteMember, presentLink } from './invitation.ts'
import { makeLink } from './link.ts'

interface MemberDependencies {
  readonly db: Db
  readonly clock: Clock
  /** The origin under which browsers reach the service; undefined if not configured. */
  readonly publicUrl: string | undefined
  readonly linkMail: LinkMail
}

const managing = {
  ...hiddenFromKeys,
  config: { access: 'member', permission: 'manage_members', confirmed: true, noun: 'Members' },
} as const

/** Members whose role allows it add, invite and remove members, and change roles. */
export function memberManagementRoutes(app: App, parts: MemberDependencies): void {
  addRoute(app, parts)
  inviteRoute(app, parts)
  changeRoutes(app, parts)
}

/** The member who makes the request. */
function managerOf({ actor, member }: FastifyRequest): Manager {
  return { by: actor, managesOwners: member?.permissions.has('manage_owners') ?? false }
}

function memberIn({ organizationId, params }: FastifyRequest<{ Params: { id: string } }>) {
  return { organizationId, memberId: pathId(params.id, 'member') }
}

function addRoute(app: App, { db, clock, publicUrl, linkMail }: MemberDependencies): void {
  app.post(
    '/v1/members',
    {
      ...managing,
      schema: {
        summary: 'Add a member',
        operationId: 'addMember',
        description:
          'Answers a link that signs the member in, once, within 72 hours, and mails it to them if it can ' +
          '(`mailed`). The mailbox of that address, if there is one, belongs to the member. To make an owner, you ' +
          'need the permission `manage_owners`.',
        body: NewMember,
        response: { 201: InvitedMember },
      },
    },
    async (request, reply) => {
      const { organizationId, body, headers } = request
      const { email, name = '', role = 'member' } = body
      const how = { base: requestOrigin(headers, publicUrl), now: clock.now() }
      const mail = await linkMail.from(organizationId)
      await answerOnce(db, request, reply, async (tx) => {
        const member = await admitMember(tx, { organizationId, email, name, role }, managerOf(request))
        const made = await makeLink(tx, { organizationId, memberId: member.id }, how)
        const link = presentLink(made, await mail(tx, member, made))
        return created(`/v1/members/${member.id}`, { ...present(member), ...link }, 'link')
      })
      linkMail.wake()
    },
  )
}

function inviteRoute(app: App, { db, clock, publicUrl, linkMail }: MemberDependencies): void {
  app.post(
    '/v1/members/:id/invitation',
    {
      ...managing,
      schema: {
        summary: 'Make a new sign-in link for a member',
        operationId: 'inviteMember',
        description:
          'Answers a link that signs the member in, once, within 72 hours, and mails it to them if it can ' +
          '(`mailed`). The link before stops working. For an owner, you need the permission `manage_owners`.',
        params: ById,
        response: { 201: Invitation },
      },
    },
    async (request, reply) => {
      const member = memberIn(request)
      const how = { base: requestOrigin(request.headers, publicUrl), now: clock.now() }
      const mail = await linkMail.from(request.organizationId)
      await answerOnce(db, request, reply, async (tx) => {
        const { invited, made } = await inviteMember(tx, member, managerOf(request), how)
        const link = presentLink(made, await mail(tx, invited, made))
        return created(`/v1/members/${invited.id}`, { id: invited.id, ...link }, 'link')
      })
      linkMail.wake()
    },
  )
}

function changeRoutes(app: App, { db }: MemberDependencies): void {
  app.patch(
    '/v1/members/:id',
    {
      ...managing,
      schema: {
        summary: 'Give a member another role',
        operationId: 'updateMember',
        description:
          'The role takes effect within 5 seconds in every process. The last owner keeps their role. To make or ' +
          'change an owner, you need the permission `manage_owners`.',
        params: ById,
        body: MemberChange,
        response: { 200: MemberOut },
      },
    },
    async (request) => {
      const [member, manager] = [memberIn(request), managerOf(request)]
      return await changeOnce(db, request, async (tx) =>
        present(await changeRole(tx, member, request.body.role, manager)),
      )
    },
  )

  app.delete(
    '/v1/members/:id',
    {
      ...managing,
      schema: {
        summary: 'Remove a member',
        operationId: 'removeMember',
        description:
          'Removes the member, and the labels, filters and blocks that are their own. Their sessions end within 5 ' +
          'seconds in every process. Mailboxes and mail stay. The last owner cannot be removed. To remove an ' +
          'owner, you need the permission `manage_owners`.',
        params: ById,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id }) },
      },
    },
    async (request) => {
      const [member, manager] = [memberIn(request), managerOf(request)]
      const answer = await changeOnce(db, request, async (tx) => {
        await dismissMember(tx, member, manager)
        return { deleted: true as const, id: member.memberId }
      })
      invalidateRules(db, member.organizationId)
      return answer
    },
  )
}
