import type { FastifyRequest } from 'fastify'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import { noteProgress, progressOf } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { Id } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { storageOf } from '#/mail/store/storage.ts'
import { suspendMailbox } from './change.ts'
import { mailboxAtPath, mailboxById } from './queries.ts'
import { type RemovalDependencies, removeMailbox } from './remove.ts'
import { ByAddress, MailboxOut, present } from './schemas.ts'

const config = {
  access: 'member',
  permission: 'manage_mailboxes',
  noun: 'Mailboxes',
  errors: ['mail_unavailable'],
} as const

/** Owners and admins suspend, resume and delete mailboxes. No key does. */
export function suspendRoutes(app: App, parts: RemovalDependencies): void {
  suspensionRoute(app, parts, true)
  suspensionRoute(app, parts, false)
  app.delete(
    '/v1/mailboxes/:address',
    {
      ...hiddenFromKeys,
      config: { ...config, confirmed: true },
      schema: {
        summary: 'Delete a mailbox',
        operationId: 'deleteMailbox',
        description:
          'Suspends the mailbox, and then deletes all its mail and its addresses for good. This takes long if ' +
          'there is much mail. If it is interrupted, the mailbox stays suspended, and deleting it again goes on.',
        params: ByAddress,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id, address: Type.String() }) },
      },
    },
    async (request) => {
      const begun = progressOf<{ id: string; address: string }>(request)
      const named = begun ?? (await mailboxAtPath(parts.db, request.caller, request.params.address))
      const [{ id, address }, mailbox] = [named, refTo(request, named.id)]
      if (!begun || (await mailboxById(parts.db, mailbox.organizationId, id))) {
        await noteProgress(parts.db, request, { id, address })
        await removeMailbox(parts, mailbox, request.actor, () => {})
      }
      return { deleted: true as const, id, address }
    },
  )
}

function suspensionRoute(app: App, { db }: RemovalDependencies, suspended: boolean): void {
  app.post(
    suspended ? '/v1/mailboxes/:address/suspend' : '/v1/mailboxes/:address/resume',
    {
      ...hiddenFromKeys,
      config: { ...config, repeatable: false },
      schema: {
        summary: suspended ? 'Suspend a mailbox' : 'Resume a mailbox',
        operationId: suspended ? 'suspendMailbox' : 'resumeMailbox',
        description: suspended
          ? 'The mailbox then accepts and sends no mail, and mail programs are logged out. It can still be read.'
          : 'Ends the suspension of the mailbox.',
        params: ByAddress,
        response: { 200: MailboxOut },
      },
    },
    async (request) => {
      const mailbox = await mailboxAtPath(db, request.caller, request.params.address)
      const ref = refTo(request, mailbox.id)
      await db.transaction().execute((tx) => suspendMailbox(tx, ref, suspended, request.actor))
      const used = await storageOf(db, [ref])
      return present({ ...mailbox, suspended }, used.get(mailbox.id) ?? 0)
    },
  )
}

function refTo({ organizationId }: FastifyRequest, mailboxId: string) {
  return { organizationId, mailboxId }
}
