import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { cursorParameter, Line, ListOf, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { removeSuppression, suppressionsOf } from './queries.ts'
import { mostListed, type Suppression } from './suppression.ts'

const noun = 'Suppressions'
const usual = 50

const Address = Type.String({
  description: 'The address in lower case, with the domain in its ASCII form.',
  examples: ['bob@there.example'],
})

const SuppressionOut = Type.Object(
  {
    address: Address,
    cause: OneOf(['bounced', 'complained']),
    code: Nullable(Type.String({ description: 'Enhanced status code of the last bounce.', examples: ['5.1.1'] })),
    reply: Nullable(Type.String({ description: 'What the server said then.', examples: ['550 5.1.1 User unknown'] })),
    mailbox: Nullable(
      Type.String({
        description: 'The mailbox that sent the message; null once it is deleted.',
        examples: ['ada@tryout.test'],
      }),
    ),
    suppressed_at: Timestamp,
  },
  { title: 'Suppression' },
)

/** Suppressed addresses. */
export function suppressionRoutes(app: App, { db }: { readonly db: Db }): void {
  app.get(
    '/v1/suppressions',
    {
      config: { scope: 'messages:read', noun },
      schema: {
        summary: 'List suppressed addresses',
        operationId: 'listSuppressions',
        description:
          'Addresses that nothing is sent to, since mail to them bounced twice or was called spam; newest first.',
        querystring: Strict({
          search: Type.Optional(
            Line({ minLength: 1, maxLength: 320, description: 'Only addresses that contain this text.' }),
          ),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostListed, default: usual })),
          cursor: cursorParameter,
        }),
        response: { 200: ListOf(SuppressionOut) },
      },
    },
    async ({ caller, query: { search, limit = usual, cursor } }) => {
      const list = [caller.organizationId, 'suppressions', search ?? null]
      const found = await suppressionsOf(db, caller, { search, after: timedPlace(cursor, list), most: limit + 1 })
      const { page, next_cursor } = paged(found, { limit, list, placeOf: ({ at, id }) => [at, id] })
      return { data: page.map(present), next_cursor }
    },
  )

  app.delete(
    '/v1/suppressions/:address',
    {
      config: { scope: 'sending:write', noun },
      schema: {
        summary: 'Send to a suppressed address again',
        operationId: 'deleteSuppression',
        description:
          'Its bounces are counted from zero. The address is URL-encoded: `/v1/suppressions/bob%40there.example`.',
        params: Type.Object({ address: Address }),
        response: { 200: Type.Object({ deleted: Type.Literal(true), address: Address }) },
      },
    },
    async (request) => {
      const { caller, actor, params } = request
      const address = canonicalAddress(params.address)
      if (address === undefined) throw notFound('suppression')
      return await changeOnce(db, request, async (tx) => {
        if (!(await removeSuppression(tx, caller, address, actor))) throw notFound('suppression')
        return { deleted: true as const, address }
      })
    },
  )
}

function present({ address, cause, status, reply, mailbox, suppressed_at }: Suppression) {
  return { address, cause, code: status, reply, mailbox, suppressed_at: suppressed_at.toISOString() }
}
