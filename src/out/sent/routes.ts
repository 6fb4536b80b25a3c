import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, pathId } from '#/http/schemas/shared-schemas.ts'
import { timestamp } from '#/http/schemas/timestamp.ts'
import { mailboxNamed } from '#/mail/mailboxes/queries.ts'
import { sentById, sentOf } from './queries.ts'
import { defaultLimit, present, SentList, SentOut, SentQuery } from './schemas.ts'

const reading = { scope: 'messages:read', noun: 'Sent messages' } as const
const what = 'sent message'

/** The outcomes of sent messages. */
export function sentRoutes(app: App, { db }: { readonly db: Db }): void {
  app.get(
    '/v1/sent',
    {
      config: { ...reading, errors: ['not_found'] },
      schema: {
        summary: 'List what became of sent messages',
        operationId: 'listSentMessages',
        description:
          'Messages that were sent in the last 30 days, newest first, each with what became of its recipients.',
        querystring: SentQuery,
        response: { 200: SentList },
      },
    },
    async ({ caller, query }) => {
      const { state, mailbox, recipient, since, limit = defaultLimit, cursor } = query
      const list = [caller.organizationId, 'sent', state ?? null, mailbox ?? null, recipient ?? null, since ?? null]
      const found = await sentOf(db, caller, {
        ...{ state, after: timedPlace(cursor, list), most: limit + 1 },
        recipient: recipient === undefined ? undefined : addressIn(recipient),
        since: since === undefined ? undefined : timestamp(since, 'since'),
        mailboxId: mailbox === undefined ? undefined : await mailboxIn(db, caller, mailbox),
      })
      const { page, next_cursor } = paged(found, { limit, list, placeOf: ({ at, id }) => [at, id] })
      return { data: page.map(present), next_cursor }
    },
  )

  app.get(
    '/v1/sent/:id',
    {
      config: reading,
      schema: {
        summary: 'Show what became of a sent message',
        operationId: 'getSentMessage',
        description:
          '`id` is the one that sending or scheduling answered. A scheduled message is found from its first attempt on, ' +
          'unless it has failed.',
        params: ById,
        response: { 200: SentOut },
      },
    },
    async ({ caller, params }) => {
      const found = await sentById(db, caller, pathId(params.id, what))
      if (!found) throw notFound(what)
      return present(found)
    },
  )
}

function addressIn(text: string): string {
  const address = canonicalAddress(text)
  if (address === undefined) throw invalid('recipient', 'recipient must be an address')
  return address
}

/** A Private mailbox too: the states of its mail do not show recipients. */
async function mailboxIn(db: Db, caller: Caller, text: string): Promise<string> {
  const address = canonicalAddress(text)
  const mailbox = address === undefined ? undefined : await mailboxNamed(db, caller, address)
  if (!mailbox) throw notFound('mailbox')
  caller.assertMay('read', mailbox)
  return mailbox.id
}
