import type { FastifyContextConfig } from 'fastify'
import { answerAfter, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { attachment } from '#/sending/outgoing.ts'
import { bodyLimit } from '#/sending/schemas.ts'
import { type DraftParts, editDraft } from '../save.ts'
import { ByAttachmentIndex, ByDraft, DraftOut, KnownVersion, NewAttachment } from '../schemas.ts'
import { withAttachment, withoutAttachment } from './attachments.ts'

/** The attachments of a draft, one by one. */
export function attachmentRoutes(app: App, parts: DraftParts, config: FastifyContextConfig): void {
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
      const { caller, scopes, actor: by, params } = request
      const { version, ...given } = request.body
      const added = attachment('', given)
      await answerAfter(parts.db, request, reply, async () => {
        const editing = { id: params.id, version, by }
        const draft = await editDraft(parts, { caller, scopes }, editing, (before) => withAttachment(before, added))
        return created(`/v1/drafts/${draft.id}`, draft)
      })
      return reply
    },
  )

  app.delete(
    '/v1/drafts/:id/attachments/:index',
    {
      config,
      schema: {
        summary: 'Remove an attachment from a draft',
        operationId: 'removeDraftAttachment',
        description: 'Answers the draft. The indices of those behind it fall by one.',
        params: ByAttachmentIndex,
        querystring: KnownVersion,
        response: { 200: DraftOut },
      },
    },
    ({ caller, scopes, actor: by, params: { id, index }, query: { version } }) =>
      editDraft(parts, { caller, scopes }, { id, version, by }, (draft) => withoutAttachment(draft, index)),
  )
}
