import type { Db } from '#/base/db/schema.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import { answerOnce, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { ById, Line, pathId, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import type { RunningChanges } from '#/mail/changes/running-changes.ts'
import { finishSoon } from '#/mail/labels/everywhere.ts'
import { ChangeId, LabelOut, present } from '#/mail/labels/schemas.ts'
import { mergeLabels } from './merge-labels.ts'

/** Merges two labels. It is here since filters of the label change too. */
export function mergeRoute(
  app: App,
  { db, runningChanges }: { readonly db: Db; readonly runningChanges: RunningChanges },
): void {
  app.post(
    '/v1/labels/:id/merge',
    {
      config: { scope: 'labels:write', noun: 'Labels', errors: ['not_found'] },
      schema: {
        summary: 'Merge a label into another',
        operationId: 'mergeLabel',
        description:
          'Deletes the label. Filters that set it then set the other one, and messages in the mailboxes that the ' +
          'caller may change get the other keyword, which may go on after the answer.',
        params: ById,
        body: Strict({
          into: Line({
            minLength: 1,
            maxLength: 200,
            description: 'The label that stays: its keyword, id or name.',
            examples: ['receipts'],
          }),
        }),
        response: {
          200: Type.Object({
            label: LabelOut,
            filters: Type.Integer({
              minimum: 0,
              description: 'The number of filters that now set the other label, without those of other members.',
            }),
            change_id: ChangeId,
          }),
        },
      },
    },
    async (request, reply) => {
      const { caller, actor, organizationId, params, body } = request
      const ids = { id: pathId(params.id, 'label'), into: body.into }
      let change: string | null = null
      await answerOnce(db, request, reply, async (tx) => {
        const { label, filters, changeId } = await mergeLabels(tx, caller, ids, actor)
        change = changeId
        return ok({ label: present(label), filters, change_id: changeId })
      })
      invalidateRules(db, organizationId)
      await finishSoon(runningChanges, change)
    },
  )
}
