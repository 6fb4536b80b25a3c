import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import type { OwnedRoutes } from '#/http/access/owned-routes.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created, ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { cursorParameter, Id, Line, ListOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { blockSender, unblockSender } from './block.ts'
import { type BlockedSender, blockNamed, blockPattern, mostBlocked } from './pattern.ts'
import { blockedNamed, blockedSendersAfter } from './queries.ts'

const ByIdOrPattern = Type.Object({
  id: Type.String({ description: 'The id of the block, or its pattern, URL-encoded.', examples: ['@example.net'] }),
})

const Pattern = Type.String({
  description: 'The pattern as it is stored: in lower case, with the domain in its ASCII form (IDNA).',
  examples: ['spam@example.com', '@example.net'],
})

const ListQuery = Strict({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostBlocked, description: 'Without it, the whole list.' })),
  cursor: cursorParameter,
})

const byIdOrPattern = '`id` is the id, or the pattern in any case: `/v1/blocked-senders/spam%40example.com`.'

const BlockedSenderOut = Type.Object({ id: Id, pattern: Pattern, created_at: Timestamp }, { title: 'BlockedSender' })

/** Addresses and domains whose mail to an owner is refused. */
export function blockedSenderRoutes(app: App, { db }: { db: Db }, of: OwnedRoutes): void {
  readRoutes(app, db, of)
  changeRoutes(app, db, of)
}

function readRoutes(app: App, db: Db, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  app.get(
    at('/v1/blocked-senders'),
    {
      ...access('filters:read', 'Blocked senders'),
      schema: {
        ...named('List blocked senders', 'listBlockedSenders', 'listOwnBlockedSenders'),
        description: own
          ? "The member's own blocks, newest first. The organization's are not among them."
          : "The organization's blocked senders, newest first. Members' own blocks are not among them.",
        querystring: ListQuery,
        response: { 200: ListOf(BlockedSenderOut) },
      },
    },
    async (request) => {
      const { cursor, limit = mostBlocked } = request.query
      const owner = ownerIn(request)
      const list = [owner.organizationId, 'blocked-senders', owner.memberId]
      const found = await blockedSendersAfter(db, owner, timedPlace(cursor, list), limit + 1)
      const { page, next_cursor } = paged(found, { limit, list, placeOf: ({ at, id }) => [at, id] })
      return { data: page.map(present), next_cursor }
    },
  )

  app.get(
    at('/v1/blocked-senders/:id'),
    {
      ...access('filters:read', 'Blocked senders'),
      schema: {
        ...named('Show a blocked sender', 'getBlockedSender', 'getOwnBlockedSender'),
        description: byIdOrPattern,
        params: ByIdOrPattern,
        response: { 200: BlockedSenderOut },
      },
    },
    async (request) => {
      const blocked = await blockedNamed(db, ownerIn(request), blockNamed(request.params.id))
      if (!blocked) throw notFound('blocked sender')
      return present(blocked)
    },
  )
}

function changeRoutes(app: App, db: Db, { own, at, access, named, ownerIn }: OwnedRoutes): void {
  app.post(
    at('/v1/blocked-senders'),
    {
      ...access('filters:write', 'Blocked senders'),
      schema: {
        ...named('Block a sender or a domain', 'createBlockedSender', 'createOwnBlockedSender'),
        description:
          'Mail is refused when its envelope sender or an address in From or Sender matches. Mail to postmaster@ and abuse@ is ' +
          'never refused for it (RFC 5321, section 4.5.1). Blocking what is blocked already changes nothing and answers 200. ' +
          `${own ? 'The block holds for the own mailbox alone. A member' : 'An organization'} blocks at most ${mostBlocked.toLocaleString('en')} senders.`,
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
        response: {
          200: { ...BlockedSenderOut, description: 'The pattern was blocked already.' },
          201: BlockedSenderOut,
        },
      },
    },
    (request, reply) => {
      const pattern = blockPattern(request.body.pattern)
      return answerOnce(db, request, reply, async (tx) => {
        const { blocked, isNew } = await blockSender(tx, ownerIn(request), pattern, request.actor)
        const body = present(blocked)
        return isNew ? created(`${at('/v1/blocked-senders')}/${blocked.id}`, body) : ok(body)
      })
    },
  )

  app.delete(
    at('/v1/blocked-senders/:id'),
    {
      ...access('filters:write', 'Blocked senders'),
      schema: {
        ...named('Unblock a sender or a domain', 'deleteBlockedSender', 'deleteOwnBlockedSender'),
        description: byIdOrPattern,
        params: ByIdOrPattern,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id, pattern: Pattern }) },
      },
    },
    async (request) => {
      const [owner, pattern] = [ownerIn(request), blockNamed(request.params.id)]
      return await changeOnce(db, request, async (tx) => {
        const gone = await unblockSender(tx, owner, pattern, request.actor)
        if (!gone) throw notFound('blocked sender')
        return { deleted: true as const, id: gone.id, pattern: gone.pattern }
      })
    },
  )
}

function present({ id, pattern, created_at }: BlockedSender) {
  return { id, pattern, created_at: created_at.toISOString() }
}
