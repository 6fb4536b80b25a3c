import { Type } from 'typebox'
import type { Db } from '#/db/schema.ts'
import type { App } from '#/http/app-type.ts'
import { Id, OneOf, PageOf, paging, Strict, Timestamp } from '#/http/wire.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { kinds, type Mailbox } from './mailbox.ts'
import { mailboxCount, mailboxesOf } from './queries.ts'

const MailboxOut = Type.Object(
  {
    id: Id,
    address: Type.String({ description: 'What `mailbox` takes elsewhere.', examples: ['support@tryout.test'] }),
    local_part: Type.String({ examples: ['support'] }),
    domain: Type.String({ examples: ['tryout.test'] }),
    name: Type.String({ description: 'Empty where none was given.', examples: ['Support'] }),
    kind: OneOf(kinds, {
      description: 'Mail in a `private` mailbox is encrypted to its owner’s key and cannot be read through the API.',
    }),
    aliases: Type.Array(Type.String(), {
      description: 'Other addresses that reach it.',
      examples: [['abuse@tryout.test', 'postmaster@tryout.test']],
    }),
    suspended: Type.Boolean(),
    storage_used_bytes: Type.Integer({ minimum: 0, examples: [104_857] }),
    created_at: Timestamp,
  },
  { title: 'Mailbox' },
)

const most = 1_000

export function mailboxRoutes(app: App, { db, mailHost }: { db: Db; mailHost: MailHost }): void {
  app.get(
    '/v1/mailboxes',
    {
      config: { scope: ['mailboxes:read', 'messages:read'], noun: 'Mailboxes', errors: ['mail_unavailable'] },
      schema: {
        summary: 'List mailboxes',
        description: 'In the order in which they were made. Without `limit`, the first 1,000.',
        querystring: Strict(paging(most, most)),
        response: { 200: PageOf(MailboxOut) },
      },
    },
    async ({ organizationId, query: { limit = most, page = 0 } }) => {
      const total = await mailboxCount(db, organizationId)
      const mailboxes = await mailboxesOf(db, organizationId, { limit, page })
      const used = await mailHost.storageOf(mailboxes.map(({ id }) => ({ organizationId, mailboxId: id })))
      const data = mailboxes.map((mailbox) => present(mailbox, used.get(mailbox.id) ?? 0))
      return { data, total, page, has_more: (page + 1) * limit < total }
    },
  )
}

function present(mailbox: Mailbox, storageUsed: number) {
  const { created_at, ...fields } = mailbox
  return {
    ...fields,
    aliases: [...mailbox.aliases],
    storage_used_bytes: storageUsed,
    created_at: created_at.toISOString(),
  }
}
