import type { Tx } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { answerClaimed, answerIn } from '#/http/answers/claimed-key.ts'
import { created, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { writingMailbox } from '#/out/replies/original.ts'
import { bodyLimit } from '#/out/sending/schemas.ts'
import type { ReadyMessage } from '#/out/sending/send.ts'
import { draftAbout } from './answering.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { attachmentRoutes } from './attachments/routes.ts'
import { changed, emptyDraft } from './content.ts'
import { boxOf } from './find.ts'
import { listRoute } from './list-route.ts'
import { madeOnce } from './made-once.ts'
import { againBy, shown } from './open.ts'
import { type DraftDependencies, deleteDraft, editDraft, type Stored, saveDraft } from './save.ts'
import { ByDraft, DraftChange, DraftDeleted, DraftOut, KnownVersion, NewDraft } from './schemas.ts'
import { type SendingDependencies, sendRoute } from './sending/route.ts'

const config = {
  noun: 'Drafts',
  scope: ['sending:draft', 'sending:write'],
  errors: ['not_found', 'mail_unavailable'],
} as const
/** Approving a draft includes reading it. */
const reading = { ...config, scope: ['sending:draft', 'sending:write', 'sending:approve'] } as const
const changing = { ...config, errors: ['not_found', 'conflict', 'mail_unavailable'] } as const

/** Messages that are being written: those in the folder `drafts`. */
export function draftRoutes<Ready extends ReadyMessage>(
  app: App,
  parts: DraftDependencies & SendingDependencies<Ready>,
): void {
  listRoute(app, parts, reading)
  createRoute(app, parts)
  readRoute(app, parts)
  changeRoutes(app, parts)
  attachmentRoutes(app, parts, { ...changing, readAgain: againBy(parts) })
  sendRoute(app, parts)
  approvalRoutes(app, parts)
}

function createRoute(app: App, parts: DraftDependencies): void {
  const { db } = parts
  app.post(
    '/v1/drafts',
    {
      bodyLimit,
      config: { ...config, readAgain: againBy(parts) },
      schema: {
        summary: 'Create a draft',
        operationId: 'createDraft',
        description:
          'Stores a message in the folder `drafts` of the mailbox, where other mail programs can open and edit ' +
          'it. Every field but `mailbox` may be left out or unfinished; they are checked when the draft is sent.',
        body: NewDraft,
        response: { 201: DraftOut },
      },
    },
    async (request, reply) => {
      const { caller, actor: by, organizationId } = request
      const { mailbox: address, original, ...fields } = request.body
      const mailbox = await writingMailbox(db, caller, address)
      await answerClaimed(db, request, reply, async () => {
        const box = boxOf(organizationId, mailbox)
        const draft = await madeOnce(parts, reply, box, async (key) => {
          const content = original
            ? await draftAbout(parts, reply, mailbox, { original, fields })
            : changed(emptyDraft({ name: mailbox.name, address: mailbox.address }), fields)
          const stored: Stored = (tx, draft) => answerIn(tx, request, created(`/v1/drafts/${draft.id}`, draft))
          return await saveDraft(parts, box, { key, content, replaces: [], by, stored })
        })
        if (!draft) throw notFound('mailbox')
        return created(`/v1/drafts/${draft.id}`, draft)
      })
    },
  )
}

function readRoute(app: App, parts: DraftDependencies): void {
  app.get(
    '/v1/drafts/:id',
    {
      config: reading,
      schema: {
        summary: 'Show a draft',
        operationId: 'getDraft',
        description: 'Answers the draft with its texts and the names of its attachments.',
        params: ByDraft,
        response: { 200: DraftOut },
      },
    },
    ({ params }, reply) => shown(parts, reply, 'read', params.id),
  )
}

function changeRoutes(app: App, parts: DraftDependencies): void {
  app.patch(
    '/v1/drafts/:id',
    {
      bodyLimit,
      config: { ...changing, readAgain: againBy(parts) },
      schema: {
        summary: 'Edit a draft',
        operationId: 'updateDraft',
        description:
          'A field that you give replaces what the draft has; `attachments` replaces all of them. `text: null` ' +
          'and `html: null` remove a text. Without `version` the last writer wins.',
        params: ByDraft,
        body: DraftChange,
        response: { 200: DraftOut },
      },
    },
    (request) => {
      const { actor: by, params, body } = request
      const { version, ...fields } = body
      const stored: Stored = (tx, draft) => answerIn(tx, request, ok(draft))
      return editDraft(parts, request, { id: params.id, version, by, stored }, (draft) => changed(draft, fields))
    },
  )

  app.delete(
    '/v1/drafts/:id',
    {
      config: changing,
      schema: {
        summary: 'Delete a draft',
        operationId: 'deleteDraft',
        description: 'Deletes the draft for good.',
        params: ByDraft,
        querystring: KnownVersion,
        response: { 200: DraftDeleted },
      },
    },
    async (request) => {
      const { actor: by, params, query } = request
      const answer = { deleted: true as const, id: params.id }
      const deleted = (tx: Tx) => answerIn(tx, request, ok(answer))
      await deleteDraft(parts, request, { id: params.id, version: query.version, by, deleted })
      return answer
    },
  )
}
