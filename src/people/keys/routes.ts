import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { Caller } from '#/http/access/caller.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { assertNoPage, paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, PageOf, paging, pathId, Strict } from '#/http/schemas/shared-schemas.ts'
import type { Static } from '#/http/schemas/type.ts'
import { expiryAt, keyName } from './key.ts'
import { addKey, revokeKeyIn } from './keys.ts'
import { keyById, keyCount, keysOf } from './queries.ts'
import { networksOf, type Restrictions, recipientsOf } from './restrictions.ts'
import { KeyOut, KeyRequest, NewKeyOut, present, scopesListed } from './schemas.ts'
import { mailboxIds, shownKey, shownKeys } from './shown.ts'

interface KeyDependencies {
  readonly db: Db
  readonly clock: Clock
}

const managing = {
  ...hiddenFromKeys,
  config: { access: 'member', permission: 'manage_api_keys', noun: 'API keys' },
} as const

const changing = { ...managing, config: { ...managing.config, confirmed: true } } as const

const most = 1_000

/** Members whose role allows it list, create and revoke the organization's keys. No key does. */
export function keyRoutes(app: App, parts: KeyDependencies): void {
  listRoutes(app, parts)
  createRoute(app, parts)
  revokeRoute(app, parts)
}

function listRoutes(app: App, { db, clock }: KeyDependencies): void {
  app.get(
    '/v1/api-keys',
    {
      ...managing,
      schema: {
        summary: 'List API keys',
        operationId: 'listApiKeys',
        description: 'Lists keys, oldest first, including those that have expired or were revoked.',
        querystring: Strict(paging(most, most)),
        response: { 200: PageOf(KeyOut) },
      },
    },
    async ({ organizationId, query: { limit = most, page: asked, cursor } }) => {
      assertNoPage({ cursor, page: asked })
      const page = asked ?? 0
      const total = await keyCount(db, organizationId)
      const list = [organizationId, 'api keys']
      const after = timedPlace(cursor, list)
      const keys = await keysOf(db, organizationId, { limit: limit + 1, offset: page * limit, after })
      const { page: found, next_cursor } = paged(keys, { limit, list, placeOf: ({ at, id }) => [at, id] })
      const data = (await shownKeys(db, found)).map((key) => present(key, clock.now()))
      return { data, total, page, has_more: next_cursor !== null, next_cursor }
    },
  )

  app.get(
    '/v1/api-keys/:id',
    {
      ...managing,
      schema: { summary: 'Show an API key', operationId: 'getApiKey', params: ById, response: { 200: KeyOut } },
    },
    async ({ organizationId, params }) => {
      const key = await keyById(db, pathId(params.id, 'key'), organizationId)
      if (!key) throw notFound('key')
      return present(await shownKey(db, key), clock.now())
    },
  )
}

function createRoute(app: App, { db, clock }: KeyDependencies): void {
  app.post(
    '/v1/api-keys',
    {
      ...changing,
      schema: {
        summary: 'Create an API key',
        operationId: 'createApiKey',
        description:
          'The key is shown once, in this answer. A key without `mailboxes` sees all mailboxes of the organization. What a ' +
          'key may do never changes: to change it, create another and revoke this one.',
        body: KeyRequest,
        response: { 201: NewKeyOut },
      },
    },
    async (request, reply) => {
      const { body, caller, actor } = request
      const now = clock.now()
      const fields = {
        name: keyName(body.name ?? ''),
        scopes: scopesListed(body.scopes),
        expiresAt: body.expires_at === undefined ? null : expiryAt(body.expires_at, now),
      }
      const patterns = restrictionsIn(body)
      await answerOnce(db, request, reply, async (tx) => {
        const restrictions = { ...patterns, mailbox_ids: await mailboxesIn(tx, caller, body) }
        const { key, secret } = await addKey(tx, caller.organizationId, { ...fields, restrictions }, now, actor)
        const shown = present(await shownKey(tx, key), now)
        return created(`/v1/api-keys/${key.id}`, { ...shown, key: secret }, 'key')
      })
    },
  )
}

type Body = Static<typeof KeyRequest>

function restrictionsIn({ recipients, networks, requests_per_minute }: Body): Omit<Restrictions, 'mailbox_ids'> {
  return {
    recipients: recipients ? recipientsOf(recipients) : null,
    networks: networks ? networksOf(networks) : null,
    requests_per_minute: requests_per_minute ?? null,
  }
}

async function mailboxesIn(db: Db, caller: Caller, { mailboxes }: Body): Promise<string[] | null> {
  if (mailboxes === undefined) return null
  return await mailboxIds(db, caller, mailboxes, (text, index) =>
    invalid(`mailboxes[${index}]`, `There is no mailbox "${text}"`, 'Give its address; an alias is none'),
  )
}

function revokeRoute(app: App, { db, clock }: KeyDependencies): void {
  app.delete(
    '/v1/api-keys/:id',
    {
      ...changing,
      schema: {
        summary: 'Revoke an API key',
        operationId: 'revokeApiKey',
        description:
          'The key stops working within 5 seconds in every process. The list keeps it as revoked, and revoking it ' +
          'again changes nothing.',
        params: ById,
        response: { 200: KeyOut },
      },
    },
    async (request) => {
      const { organizationId, actor } = request
      const id = pathId(request.params.id, 'key')
      const now = clock.now()
      return await changeOnce(db, request, async (tx) => {
        const { key } = await revokeKeyIn(tx, id, now, actor, organizationId)
        return present(await shownKey(tx, key), now)
      })
    },
  )
}
