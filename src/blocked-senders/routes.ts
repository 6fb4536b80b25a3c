import type { Db } from '#/db/schema.ts'
import { notFound } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import { answerOnce, created, ok } from '#/http/idempotency.ts'
import { Id, Line, ListOf, Strict, Timestamp } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { organizationItself } from '#/organizations/owner.ts'
import { blockSender, unblockSender } from './block.ts'
import { type BlockedSender, blockNamed, blockPattern, mostBlocked } from './pattern.ts'
import { blockedNamed, blockedSendersOf } from './queries.ts'

const ByIdOrPattern = Type.Object({
  id: Type.String({ description: 'Its id or its pattern, URL-encoded.', examples: ['@example.net'] }),
})

const Pattern = Type.String({
  description: 'As stored: lower case, the domain in its ASCII form (IDNA).',
  examples: ['spam@example.com', '@example.net'],
})

const named = '`id` is the id, or the pattern in any case: `/v1/blocked-senders/spam%40example.com`.'

const BlockedSenderOut = Type.Object({ id: Id, pattern: Pattern, created_at: Timestamp }, { title: 'BlockedSender' })

/** Addresses and domains whose mail to the organization is refused. */
export function blockedSenderRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/blocked-senders',
    {
      config: { scope: 'filters:read', noun: 'Blocked senders' },
      schema: {
        summary: 'List blocked senders',
        description: "The organization's blocked senders, newest first. Members' own blocks are not among them.",
        response: { 200: ListOf(BlockedSenderOut) },
      },
    },
    async ({ organizationId }) => {
      const blocked = await blockedSendersOf(db, organizationItself(organizationId))
      return { data: blocked.map(present) }
    },
  )

  app.get(
    '/v1/blocked-senders/:id',
    {
      config: { scope: 'filters:read', noun: 'Blocked senders' },
      schema: {
        summary: 'Show a blocked sender',
        description: named,
        params: ByIdOrPattern,
        response: { 200: BlockedSenderOut },
      },
    },
    async ({ organizationId, params }) => {
      const blocked = await blockedNamed(db, organizationItself(organizationId), blockNamed(params.id))
      if (!blocked) throw notFound('blocked sender')
      return present(blocked)
    },
  )

  app.post(
    '/v1/blocked-senders',
    {
      config: { scope: 'filters:write', noun: 'Blocked senders' },
      schema: {
        summary: 'Block a sender or a domain',
        operationId: 'blockSender',
        description:
          'Mail is refused when its envelope sender or an address in From or Sender matches. Mail to postmaster@ and abuse@ is ' +
          'never refused for it (RFC 5321 4.5.1). Blocking what is blocked already changes nothing and answers 200. ' +
          `An organization blocks at most ${mostBlocked.toLocaleString('en')} senders.`,
        body: Strict({
          pattern: Line({
            minLength: 1,
            maxLength: 320,
            description:
              'A whole address, or a domain with a leading `@`, which means that domain and not its subdomains. Case ' +
              'does not matter.',
            examples: ['spam@example.com', '@example.net'],
            rule: blockPattern,
          }),
        }),
        response: { 200: { ...BlockedSenderOut, description: 'It was blocked already.' }, 201: BlockedSenderOut },
      },
    },
    (request, reply) => {
      const pattern = blockPattern(request.body.pattern)
      return answerOnce(db, request, reply, async (tx) => {
        const { blocked, isNew } = await blockSender(
          tx,
          organizationItself(request.organizationId),
          pattern,
          request.actor,
        )
        return isNew ? created(`/v1/blocked-senders/${blocked.id}`, present(blocked)) : ok(present(blocked))
      })
    },
  )

  app.delete(
    '/v1/blocked-senders/:id',
    {
      config: { scope: 'filters:write', noun: 'Blocked senders' },
      schema: {
        summary: 'Unblock a sender or a domain',
        operationId: 'unblockSender',
        description: named,
        params: ByIdOrPattern,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id, pattern: Pattern }) },
      },
    },
    async ({ organizationId, actor, params }) => {
      const [owner, named] = [organizationItself(organizationId), blockNamed(params.id)]
      const gone = await db.transaction().execute((tx) => unblockSender(tx, owner, named, actor))
      if (!gone) throw notFound('blocked sender')
      return { deleted: true as const, id: gone.id, pattern: gone.pattern }
    },
  )
}

function present({ created_at, ...blocked }: BlockedSender) {
  return { ...blocked, created_at: created_at.toISOString() }
}
