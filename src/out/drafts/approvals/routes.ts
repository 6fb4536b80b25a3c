import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound, Refusal } from '#/base/errors.ts'
import type { Caller } from '#/http/access/caller.ts'
import { answerOnce, created, ok, unlessReplayed } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, pathId } from '#/http/schemas/shared-schemas.ts'
import { Sent } from '#/out/sending/schemas.ts'
import type { ReadyMessage } from '#/out/sending/send.ts'
import type { Found } from '../find.ts'
import { draftId, draftNamed } from '../identity.ts'
import { openDraft } from '../open.ts'
import type { DraftDependencies } from '../save.ts'
import { ByDraft } from '../schemas.ts'
import { type SendingDependencies, sendFound } from '../sending/route.ts'
import { type Approval, approvalById, approvalsOf, decide, insertApproval, outdate } from './approvals.ts'
import { ApprovalOut, ApprovalPage, ApprovalRequest, ApprovalsQuery, Decline, presentApproval } from './schemas.ts'

const what = 'approval'
const reading = { noun: 'Approvals', scope: ['sending:draft', 'sending:write', 'sending:approve'] } as const
const deciding = { noun: 'Approvals', scope: 'sending:approve' } as const

/** Requests for approval of drafts, and decisions. */
export function approvalRoutes<Ready extends ReadyMessage>(
  app: App,
  parts: DraftDependencies & SendingDependencies<Ready>,
): void {
  askRoute(app, parts)
  readRoutes(app, parts)
  approveRoute(app, parts)
  declineRoute(app, parts)
}

function askRoute(app: App, parts: DraftDependencies): void {
  const { db } = parts
  app.post(
    '/v1/drafts/:id/approval',
    {
      config: {
        noun: 'Drafts',
        scope: ['sending:draft', 'sending:write'],
        errors: ['not_found', 'conflict', 'mail_unavailable'],
      },
      schema: {
        operationId: 'requestDraftApproval',
        summary: 'Ask for approval of a draft',
        description:
          'Owners, admins and keys that may approve can then send the draft as it is now. An edit or another request makes this approval `outdated`.',
        params: ByDraft,
        body: ApprovalRequest,
        response: { 201: ApprovalOut },
      },
    },
    async (request, reply) => {
      const { caller, actor: by, params, body } = request
      await unlessReplayed(db, request, reply, async () => {
        const { box, key, uid, raw } = await openDraft(parts, reply, 'send', { ...params, ...body })
        const digest = digestOf(raw)
        await answerOnce(db, request, reply, async (tx) => {
          const id = await insertApproval(tx, box, { key, uid, digest, by })
          const approval = await approvalById(tx, caller, id)
          if (!approval) throw notFound(what)
          return created(`/v1/approvals/${id}`, presentApproval(approval))
        })
      })
    },
  )
}

function digestOf(raw: Buffer): string {
  return hash('sha256', raw, 'hex')
}

function readRoutes(app: App, { db }: DraftDependencies): void {
  app.get(
    '/v1/approvals',
    {
      config: { ...reading, errors: ['not_found'] },
      schema: {
        summary: 'List approvals',
        operationId: 'listApprovals',
        description:
          'Approvals in all mailboxes that the caller reads, newest first. Decided ones are kept for 30 days.',
        querystring: ApprovalsQuery,
        response: { 200: ApprovalPage },
      },
    },
    async ({ caller, query: { status, draft: id, limit = 50, cursor } }) => {
      const list = [caller.organizationId, 'approvals', status ?? null, id ?? null]
      const draft = id === undefined ? undefined : draftNamed(id)
      const found = await approvalsOf(db, caller, { status, draft, after: timedPlace(cursor, list), most: limit + 1 })
      const { page, next_cursor } = paged(found, { limit, list, placeOf })
      return { data: page.map(presentApproval), next_cursor }
    },
  )

  app.get(
    '/v1/approvals/:id',
    {
      config: reading,
      schema: { summary: 'Show an approval', operationId: 'getApproval', params: ById, response: { 200: ApprovalOut } },
    },
    async ({ caller, params }) => presentApproval(await named(db, caller, params.id)),
  )
}

function placeOf({ requestedAt, id }: Approval): [number, string] {
  return [requestedAt.getTime() * 1_000, id]
}

async function named(db: Db, caller: Caller, given: string): Promise<Approval> {
  const approval = await approvalById(db, caller, pathId(given, what))
  if (!approval) throw notFound(what)
  return approval
}

function approveRoute<Ready extends ReadyMessage>(
  app: App,
  parts: DraftDependencies & SendingDependencies<Ready>,
): void {
  const { db } = parts
  app.post(
    '/v1/approvals/:id/approve',
    {
      config: { ...deciding, errors: ['not_found', 'conflict', 'quota_exceeded', 'mail_unavailable'] },
      schema: {
        summary: 'Approve a draft',
        operationId: 'approveDraft',
        description:
          'Sends exactly the message that approval was asked for. If the draft was edited, sent or deleted since, the answer is 409 ' +
          '`conflict`, and nothing is sent.',
        params: ById,
        response: { 202: Sent },
      },
    },
    async (request, reply) => {
      const { caller, actor: by, organizationId } = request
      await unlessReplayed(db, request, reply, async () => {
        const approval = await named(db, caller, request.params.id)
        caller.assertMay('send', { id: approval.mailboxId, address: approval.mailbox })
        assertPending(approval)
        const draft = await unchanged(parts, reply, approval)
        await sendFound(parts, request, reply, draft, {
          also: async (tx, sentId) => {
            if (!(await decide(tx, organizationId, approval.id, { status: 'approved', by, sentId })))
              throw changedSince()
          },
        })
      })
    },
  )
}

/** The draft, if it is the message that approval was asked for, with the very octets that were compared. */
async function unchanged(
  parts: DraftDependencies,
  reply: FastifyReply,
  approval: Approval,
): Promise<Found & { raw: Buffer }> {
  const { caller } = reply.request
  try {
    const found = await openDraft(parts, reply, 'send', { id: draftId(approval) })
    if (found.uid === approval.uid && digestOf(found.raw) === approval.digest) return found
  } catch (error) {
    // If the client has disconnected, the draft was not read.
    if (!(error instanceof Refusal && error.code === 'not_found') || reply.raw.closed) throw error
  }
  const { key, uid, mailboxId } = approval
  const box = { organizationId: caller.organizationId, mailboxId }
  await parts.db.transaction().execute((tx) => outdate(tx, box, key, uid))
  throw changedSince()
}

function changedSince(): Refusal {
  return new Refusal('conflict', 'The draft is no longer the one that approval was asked for', {
    field: 'id',
    fix: 'Read the draft, and ask for approval again',
  })
}

function declineRoute(app: App, { db }: DraftDependencies): void {
  app.post(
    '/v1/approvals/:id/decline',
    {
      config: { ...deciding, errors: ['not_found'] },
      schema: {
        summary: 'Decline a draft',
        operationId: 'declineDraft',
        description: 'The draft stays, and approval can be asked for again.',
        params: ById,
        body: Decline,
        response: { 200: ApprovalOut },
      },
    },
    async (request, reply) => {
      const { caller, actor: by, organizationId, body } = request
      await answerOnce(db, request, reply, async (tx) => {
        const approval = await named(tx, caller, request.params.id)
        caller.assertMay('send', { id: approval.mailboxId, address: approval.mailbox })
        const declined = await decide(tx, organizationId, approval.id, { status: 'declined', by, ...body })
        if (!declined) assertPending(await named(tx, caller, request.params.id))
        return ok(presentApproval(await named(tx, caller, request.params.id)))
      })
    },
  )
}

function assertPending({ status }: Approval): void {
  if (status !== 'pending') throw invalid('id', `This approval is ${status}`)
}
