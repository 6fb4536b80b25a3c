import type { FastifyContextConfig } from 'fastify'
import { answerClaimed, answerIn } from '#/http/answers/claimed-key.ts'
import { created, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { attachment } from '#/out/sending/outgoing.ts'
import { bodyLimit } from '#/out/sending/schemas.ts'
import { type DraftDependencies, editDraft, type Stored } from '../save.ts'
import { ByAttachmentIndex, ByDraft, DraftOut, KnownVersion, NewAttachment } from '../schemas.ts'
import { withAttachment, withoutAttachment } from './attachments.ts'

/** The attachments of a draft, one by one. */
export function attachmentRoutes(app: App, parts: DraftDependencies, config: FastifyContextConfig): void {
  app.post(
    '/v1/drafts/:id/attachments',
    {
      bodyLimit,
      config,
      schema: {
        summary: 'Attach a file to a draft',
        operationId: 'addDraftAttachment',
        description: 'Answers the draft. Up to 10 attachments, 8 MiB in all when decoded.',
        params: ByDraft,
        body: NewAttachment,
        response: { 201: DraftOut },
      },
    },
    async (request, reply) => {
      const { actor: by, params } = request
      const { version, ...given } = request.body
      const added = attachment('', given)
      await answerClaimed(parts.db, request, reply, async () => {
        const answer = (draft: DraftOut) => created(`/v1/drafts/${draft.id}`, draft)
        const stored: Stored = (tx, draft) => answerIn(tx, request, answer(draft))
        const editing = { id: params.id, version, by, stored }
        return answer(await editDraft(parts, request, editing, (before) => withAttachment(before, added)))
      })
    },
  )

  app.delete(
    '/v1/drafts/:id/attachments/:index',
    {
      config,
      schema: {
        summary: 'Remove an attachment from a draft',
        operationId: 'removeDraftAttachment',
        description: 'Answers the draft. The indices of the attachments behind it fall by one.',
        params: ByAttachmentIndex,
        querystring: KnownVersion,
        response: { 200: DraftOut },
      },
    },
    (request) => {
      const { actor: by, params, query } = request
      const stored: Stored = (tx, draft) => answerIn(tx, request, ok(draft))
      const editing = { id: params.id, version: query.version, by, stored }
      return editDraft(parts, request, editing, (draft) => withoutAttachment(draft, params.index))
    },
  )
}
