import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { organizationItself } from '#/base/ownership/owner.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import { Caller } from '#/http/access/caller.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { ListOf } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import type { RunningChanges } from '#/mail/changes/running-changes.ts'
import { readableMailboxes } from '#/mail/mailboxes/readable.ts'
import { keywordTotals } from '#/mail/store/keywords.ts'
import { addLabel, notOrphan } from './catalogue.ts'
import { beginEverywhere, finishSoon } from './everywhere.ts'
import { defaultColour, labelColour, labelName } from './label.ts'
import { orphansAmong } from './queries.ts'
import { Adoption, ChangeId, Keyword, LabelOut, Orphan, OrphansQuery, present, presentOrphan } from './schemas.ts'

export interface LabelDependencies {
  readonly db: Db
  readonly runningChanges: RunningChanges
}

const noun = 'Orphan labels'

/** Keywords on messages that no label has. */
export function orphanRoutes(app: App, parts: LabelDependencies): void {
  const { db, runningChanges } = parts
  app.get(
    '/v1/orphan-labels',
    {
      config: { scope: 'labels:read', noun, errors: ['not_found', 'mail_unavailable'] },
      schema: {
        summary: 'List keywords without a label',
        operationId: 'listOrphanLabels',
        description:
          'Keywords on messages of the mailboxes that the caller reads: those of deleted labels, and those of mail programs. ' +
          '`POST /v1/orphan-labels` makes a label of one.',
        querystring: OrphansQuery,
        response: { 200: ListOf(Orphan) },
      },
    },
    async ({ caller, organizationId, query }) => {
      const counts = await countsOf(parts, caller, query.mailbox)
      const orphans = await orphansAmong(db, organizationItself(organizationId), [...counts.keys()])
      const all = [...counts]
        .flatMap(([keyword, count]) => (orphans.has(keyword) ? [presentOrphan(keyword, count)] : []))
        .sort((one, other) => (one.keyword < other.keyword ? -1 : 1))
      const list = [organizationId, 'orphan-labels', query.mailbox ?? null]
      const { page, next_cursor } = pagedWhole(all, query, { list, placeOf: ({ keyword }) => [keyword] })
      return { data: page, next_cursor }
    },
  )

  app.post(
    '/v1/orphan-labels',
    {
      config: { scope: 'labels:write', noun, errors: ['mail_unavailable'] },
      schema: {
        summary: 'Make a label of a keyword without one',
        operationId: 'adoptOrphanLabel',
        description:
          'Answers 201 with the label, which has that keyword. Messages with the keyword then have the label.',
        body: Adoption,
        response: { 201: LabelOut },
      },
    },
    async (request, reply) => {
      const { name, colour = defaultColour, keyword } = request.body
      const fields = { name: labelName(name), colour: labelColour(colour), keyword }
      const owner = organizationItself(request.organizationId)
      // Not in the transaction: it may ask another server.
      const borne = await isUsed(parts, request.organizationId, keyword.toLowerCase())
      await answerOnce(db, request, reply, async (tx) => {
        if (!borne) throw notOrphan(keyword)
        const label = await addLabel(tx, owner, fields, request.actor)
        return created(`/v1/labels/${label.id}`, present(label))
      })
      invalidateRules(db, request.organizationId)
    },
  )

  app.delete(
    '/v1/orphan-labels/:keyword',
    {
      config: { scope: 'labels:write', noun, errors: ['not_found', 'mail_unavailable'] },
      schema: {
        summary: 'Take a keyword without a label from all messages',
        operationId: 'removeOrphanLabel',
        description: 'Takes the keyword from the messages that the caller may change. This may go on after the answer.',
        params: Type.Object({ keyword: Keyword }),
        response: { 200: Type.Object({ deleted: Type.Literal(true), keyword: Keyword, change_id: ChangeId }) },
      },
    },
    async (request) => {
      const { caller, actor, organizationId, params } = request
      const keyword = params.keyword.toLowerCase()
      const orphans = await orphansAmong(db, organizationItself(organizationId), [keyword])
      if (!orphans.has(keyword) || !(await isUsed(parts, organizationId, keyword))) throw notFound('keyword')
      const answer = await changeOnce(db, request, async (tx) => {
        return { deleted: true as const, keyword, change_id: await beginEverywhere(tx, caller, actor, keyword) }
      })
      await finishSoon(runningChanges, answer.change_id)
      return answer
    },
  )
}

/** The number of messages with each keyword, in a mailbox or in all that the caller reads. */
export async function countsOf(
  { db }: LabelDependencies,
  caller: Caller,
  mailbox: string | undefined,
): Promise<Map<string, { messages: number; unread: number }>> {
  const ids = (await readableMailboxes(db, caller, mailbox === undefined ? undefined : [mailbox])).keys()
  const mailboxes = Array.from(ids, (mailboxId) => ({ organizationId: caller.organizationId, mailboxId }))
  const totals = await keywordTotals(db, mailboxes)
  return new Map(totals.map(({ keyword, total, unread }) => [keyword, { messages: total, unread }]))
}

/** Mailboxes of which one query asks. */
const together = 20

/** Whether messages of the organization have a keyword. */
async function isUsed({ db }: LabelDependencies, organizationId: string, keyword: string): Promise<boolean> {
  const all = Caller.unrestricted(organizationId)
  const mailboxes = [...(await readableMailboxes(db, all, undefined)).keys()]
  for (let at = 0; at < mailboxes.length; at += together) {
    const some = mailboxes.slice(at, at + together).map((mailboxId) => ({ organizationId, mailboxId }))
    if ((await keywordTotals(db, some)).some((one) => one.keyword === keyword)) return true
  }
  return false
}
