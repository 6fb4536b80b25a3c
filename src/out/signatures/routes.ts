import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { ListOf, Nullable, Strict, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { ByAddress } from '#/mail/mailboxes/schemas.ts'
import { writingMailbox } from '#/out/replies/original.ts'
import { removeSignature, setSignature, signaturesOf } from './queries.ts'

const config = { access: 'member', noun: 'Signatures' } as const

const fields = {
  text: Type.String({
    format: 'text',
    maxLength: 4_000,
    description:
      'The signature for messages in plain text. If it is empty and there is no `html`, there is no ' + 'signature.',
    examples: ['Ada Lovelace\nThe Analytical Engine'],
  }),
  html: Nullable(
    Type.String({
      format: 'text',
      maxLength: 20_000,
      description:
        'The signature for messages with formatting; null if it is that of `text`. It is kept as it is given.',
      examples: ['<div><strong>Ada Lovelace</strong></div>'],
    }),
  ),
}

const SignatureOut = Type.Object(
  { mailbox: Type.String({ examples: ['ada@tryout.test'] }), ...fields },
  { title: 'Signature' },
)

/** Members' signatures, which the web app puts at the end of messages. */
export function signatureRoutes(app: App, { db }: { readonly db: Db }): void {
  app.get(
    '/v1/me/signatures',
    {
      ...hiddenFromKeys,
      config,
      schema: {
        summary: 'List your signatures',
        operationId: 'listSignatures',
        description: "Lists the member's signature for each mailbox that the member may send from, if it is set.",
        querystring: Strict(wholeOrPages),
        response: { 200: ListOf(SignatureOut) },
      },
    },
    async ({ caller, actorId, query }) => {
      const list = [caller.organizationId, 'signatures', actorId]
      const placeOf = ({ mailbox }: { mailbox: string }) => [mailbox]
      const { page, next_cursor } = pagedWhole(await signaturesOf(db, caller, actorId), query, { list, placeOf })
      return { data: page, next_cursor }
    },
  )

  app.put(
    '/v1/me/signatures/:address',
    {
      ...hiddenFromKeys,
      config: { ...config, errors: ['not_found'] },
      schema: {
        summary: 'Set your signature',
        operationId: 'setSignature',
        description:
          "Sets what the member's messages from this mailbox end with. No other member sees it. An empty " +
          'signature is removed.',
        params: ByAddress,
        body: Strict(
          { text: fields.text, html: Type.Optional(fields.html) },
          { examples: [{ text: 'Ada Lovelace\nThe Analytical Engine' }] },
        ),
        response: { 200: SignatureOut },
      },
    },
    async (request) => {
      const { caller, organizationId, actorId: memberId, params, body } = request
      const { text, html = null } = body
      const mailbox = await writingMailbox(db, caller, params.address)
      if (mailbox.kind === 'private') throw invalid('address', 'No mail can be sent from a Private mailbox here')
      const place = { organizationId, memberId, mailboxId: mailbox.id }
      const isEmpty = text.trim() === '' && (html ?? '').trim() === ''
      return await changeOnce(db, request, async (tx) => {
        await (isEmpty ? removeSignature(tx, place) : setSignature(tx, place, { text, html }))
        return { mailbox: mailbox.address, ...(isEmpty ? { text: '', html: null } : { text, html }) }
      })
    },
  )
}
