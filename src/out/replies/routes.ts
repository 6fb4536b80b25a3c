import { invalid, notFound, Refusal } from '#/base/errors.ts'
import { type Address, isAddress } from '#/formats/mime/address/address.ts'
import type { Caller } from '#/http/access/caller.ts'
import { unlessReplayed } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { Line, OneOrMore, Strict } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { mailboxById } from '#/mail/mailboxes/queries.ts'
import { findMessage } from '#/mail/messages/find.ts'
import { BesideUids, ByMessage } from '#/mail/messages/query-schemas.ts'
import { assertSomeText, mailbox as oneAddress } from '#/out/sending/fields.ts'
import { extraHeaders } from '#/out/sending/headers.ts'
import { addresses, attachments, type Outgoing } from '#/out/sending/outgoing.ts'
import { bodyLimit, mostRecipients, Sent, sendingFields } from '#/out/sending/schemas.ts'
import { type ReadyMessage, type SendDependencies, sendOnce } from '#/out/sending/send.ts'
import { answerTo, assertReads, type Original, type ReplyDependencies, readOriginal } from './original.ts'
import { quote } from './quote.ts'
import { quotedHtml } from './quoted-html.ts'

const ReplyBody = Strict(
  {
    all: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether everybody in To and Cc gets the answer too.' }),
    ),
    leave_out: Type.Optional(
      OneOrMore(Line({ maxLength: 320, examples: ['bob@example.com'] }), {
        description: 'Up to 100 addresses that do not get the answer.',
        examples: [['bob@example.com']],
        maxItems: 100,
      }),
    ),
    quote: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the answered text follows, with who wrote it and when. A key needs `messages:read` too.',
      }),
    ),
    from: Type.Optional({
      ...sendingFields.from,
      description: 'Without it, the address of the mailbox that the message came to.',
    } as typeof sendingFields.from),
    subject: Type.Optional(
      Line({
        maxLength: 998,
        description: 'Without it, `Re:` and the subject of the message.',
        examples: ['Re: Your order'],
      }),
    ),
    text: sendingFields.text,
    html: sendingFields.html,
    reply_to: sendingFields.reply_to,
    attachments: sendingFields.attachments,
    headers: sendingFields.headers,
  },
  { rule: assertSomeText, examples: [{ text: 'Thank you', all: true }] },
)
type ReplyBody = Static<typeof ReplyBody>

/** `POST /v1/messages/{uid}/reply`. */
export function replyRoutes<Ready extends ReadyMessage>(
  app: App,
  parts: ReplyDependencies & SendDependencies<Ready>,
): void {
  const { db } = parts
  app.post(
    '/v1/messages/:uid/reply',
    {
      bodyLimit,
      config: {
        scope: 'sending:write',
        noun: 'Messages',
        errors: ['not_found', 'quota_exceeded', 'mail_unavailable'],
      },
      schema: {
        summary: 'Reply to a message',
        operationId: 'replyToMessage',
        description:
          'Sends an answer as `POST /v1/send` sends a message. The answer goes to Reply-To, or else to the authors; with `all` ' +
          'also to everybody in To and Cc, but not to the mailbox itself. An answer to a message that the mailbox sent goes ' +
          'to the recipients of that message. Subject, In-Reply-To and References are made for you.',
        params: ByMessage,
        querystring: BesideUids,
        body: ReplyBody,
        response: { 202: Sent },
      },
    },
    async (request, reply) => {
      const { caller, organizationId, body, query, params } = request
      if (body.quote) assertReads(request, 'quote')
      await unlessReplayed(db, request, reply, async () => {
        const { mailbox: ref, stored } = await findMessage(parts, caller, 'send', params.uid, query)
        const mailbox = await mailboxById(db, organizationId, ref.mailboxId)
        if (!mailbox) throw notFound('mailbox')
        const original = await readOriginal(parts, reply, mailbox, stored)
        try {
          await sendOnce(parts, request, reply, replyOf(caller, original, body))
        } catch (error) {
          throw blamed(error, request.scopes.has('messages:read'))
        }
      })
    },
  )
}

/** Recipients come from the message: the body has no `to`. Who may not read the message is not told them. */
function blamed(error: unknown, mayRead: boolean): unknown {
  if (!(error instanceof Refusal && (error.field === 'to' || error.field === 'uid'))) return error
  if (error.code !== 'invalid_request') return error
  return invalid(
    'uid',
    mayRead ? error.message : 'Somebody whom the answer would go to cannot be written to',
    error.fix,
  )
}

/** @throws Refusal naming the field */
function replyOf(caller: Caller, original: Original, body: ReplyBody): Outgoing {
  assertSomeText(body)
  const answer = answerTo(original, body.all ? 'reply_all' : 'reply', [body.leave_out ?? []].flat())
  const to = reachable(caller, answer.to)
  const cc = reachable(caller, answer.cc)
  if (to.length === 0) throw invalid('uid', 'No recipient is left')
  const { text = null, html = null } = body
  return {
    ...answer,
    ...{ to, cc, bcc: [] },
    from: body.from === undefined ? { ...answer.from, name: '' } : oneAddress(body.from, 'from'),
    replyTo: addresses('reply_to', body.reply_to),
    subject: body.subject ?? answer.subject,
    text: text !== null && body.quote ? text + quote(original.quoted, 'reply') : text,
    html: html !== null && body.quote ? html + quotedHtml(original.quoted) : html,
    attachments: attachments(body.attachments ?? []),
    headers: extraHeaders(body.headers ?? {}, 'headers.'),
  }
}

/** Addresses that mail can be sent to; a header may contain anything. */
function reachable(caller: Caller, named: readonly Address[]): Address[] {
  const found = named.filter(({ address }) => isAddress(address))
  if (found.length > mostRecipients) {
    throw invalid('all', `That would go to more than ${mostRecipients} in one field`, 'Leave some out with leave_out')
  }
  for (const { address } of found) caller.assertWritesTo(address, 'uid')
  return found
}
