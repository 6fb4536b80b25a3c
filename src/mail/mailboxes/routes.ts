import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { hashPassword, newPassword } from '#/base/secrets/password.ts'
import type { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import { answerOnce, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { holderOf } from '#/http/rate/budgets.ts'
import { assertNoPage, paged, timedPlace } from '#/http/schemas/cursor.ts'
import { PageOf, paging, Strict } from '#/http/schemas/shared-schemas.ts'
import { storageOf } from '#/mail/store/storage.ts'
import { createMailbox } from './create.ts'
import { mailboxAtPath, mailboxCount, mailboxesOf } from './queries.ts'
import { ByAddress, MailboxOut, MailboxRequest, NewMailboxOut, present, requestedMailbox } from './schemas.ts'

const most = 1_000

export interface MailboxDependencies {
  readonly db: Db
  readonly openPgp: OpenPgp
  readonly clock: Clock
}

/** Creates and lists mailboxes. No key suspends or deletes them (docs/reference/mailboxes.md). */
export function mailboxRoutes(app: App, { db, openPgp, clock }: MailboxDependencies): void {
  app.get(
    '/v1/mailboxes',
    {
      config: { scope: ['mailboxes:read', 'messages:read'], noun: 'Mailboxes', errors: ['mail_unavailable'] },
      schema: {
        summary: 'List mailboxes',
        operationId: 'listMailboxes',
        description: 'Lists mailboxes, oldest first.',
        querystring: Strict(paging(most, most)),
        response: { 200: PageOf(MailboxOut) },
      },
    },
    async ({ caller, query: { limit = most, page: asked, cursor } }) => {
      const { organizationId } = caller
      assertNoPage({ cursor, page: asked })
      const page = asked ?? 0
      const total = await mailboxCount(db, caller)
      const list = [organizationId, 'mailboxes']
      const after = timedPlace(cursor, list)
      const found = await mailboxesOf(db, caller, { limit: limit + 1, offset: page * limit, after })
      const { page: mailboxes, next_cursor } = paged(found, { limit, list, placeOf: ({ at, id }) => [at, id] })
      const used = await storageOf(
        db,
        mailboxes.map(({ id }) => ({ organizationId, mailboxId: id })),
      )
      const data = mailboxes.map(({ at: _at, ...mailbox }) => present(mailbox, used.get(mailbox.id) ?? 0))
      return { data, total, page, has_more: next_cursor !== null, next_cursor }
    },
  )

  app.get(
    '/v1/mailboxes/:address',
    {
      config: { scope: ['mailboxes:read', 'messages:read'], noun: 'Mailboxes', errors: ['mail_unavailable'] },
      schema: {
        summary: 'Show a mailbox',
        operationId: 'getMailbox',
        params: ByAddress,
        response: { 200: MailboxOut },
      },
    },
    async ({ caller, params }) => {
      const mailbox = await mailboxAtPath(db, caller, params.address)
      const used = await storageOf(db, [{ organizationId: caller.organizationId, mailboxId: mailbox.id }])
      return present(mailbox, used.get(mailbox.id) ?? 0)
    },
  )

  app.post(
    '/v1/mailboxes',
    {
      config: {
        scope: 'mailboxes:write',
        allMailboxes: true,
        noun: 'Mailboxes',
        errors: ['not_found', 'quota_exceeded', 'mail_unavailable'],
      },
      schema: {
        summary: 'Create a mailbox',
        operationId: 'createMailbox',
        description:
          'On a domain of the organization that is verified and not suspended. The first mailbox of a domain gets ' +
          '`postmaster@` and `abuse@` as aliases, which every domain must have. The mailbox belongs to the member with ' +
          'that address, if there is one. A `private` mailbox keeps mail encrypted to `public_key` (PGP/MIME, RFC 3156), ' +
          'so that only the owner of the secret key can read it. The API cannot read, forward or send its mail.',
        body: MailboxRequest,
        response: { 201: NewMailboxOut },
      },
    },
    async (request, reply) => {
      const { domain, localPart, name, publicKey, password } = requestedMailbox(request.body)
      const certificate =
        publicKey === undefined ? undefined : await openPgp.certificate(publicKey, new Date(clock.now()))
      // Outside of the transaction: a hash takes long, and the embedded database has one connection.
      const chosen = password ?? newPassword()
      const passwordHash = await hashPassword(chosen, holderOf(request))
      await answerOnce(db, request, reply, async (tx) => {
        const { organizationId } = request
        const wanted = { organizationId, domain, localPart, name, passwordHash, ...(certificate && { certificate }) }
        const mailbox = await createMailbox(tx, wanted, request.actor)
        const body = { ...present(mailbox, 0), ...(password === undefined && { password: chosen }) }
        return created(`/v1/mailboxes/${encodeURIComponent(mailbox.address)}`, body, 'password')
      })
    },
  )
}
