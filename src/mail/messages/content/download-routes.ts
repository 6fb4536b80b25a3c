import { Readable } from 'node:stream'
import type { FastifyContextConfig } from 'fastify'
import { notFound } from '#/base/errors.ts'
import type { App } from '#/http/app-type.ts'
import { Type } from '#/http/schemas/type.ts'
import type { MessageDependencies } from '../dependencies.ts'
import { findMessage } from '../find.ts'
import { BesideUids, ByMessage, pathMessage } from '../query-schemas.ts'
import { binary, downloadHeaders } from './download.ts'

const ByAttachment = Type.Object({
  uid: pathMessage,
  id: Type.String({ description: 'The id of the attachment in its message.' }),
})

/** Downloads of a message or an attachment. A browser must never show them under our origin. */
export function downloadRoutes(app: App, parts: MessageDependencies, config: FastifyContextConfig): void {
  app.get(
    '/v1/messages/:uid/raw',
    {
      config,
      schema: {
        summary: 'Download a message',
        operationId: 'downloadMessage',
        description: 'Answers the bytes of the message as they are stored (RFC 5322).',
        params: ByMessage,
        querystring: BesideUids,
        response: binary('The message.', 'message/rfc822'),
      },
    },
    async ({ caller, params, query }, reply) => {
      const { stored } = await findMessage(parts, caller, 'read', params.uid, query)
      await parts.large.reservePieces(reply, stored)
      const { summary, pieces } = stored
      return reply
        .headers(downloadHeaders(`message-${params.uid}.eml`, 'message/rfc822'))
        .header('Content-Length', summary.sizeBytes)
        .send(Readable.from(pieces(), { objectMode: false }))
    },
  )

  app.get(
    '/v1/messages/:uid/attachments/:id',
    {
      config,
      schema: {
        summary: 'Download an attachment',
        operationId: 'downloadMessageAttachment',
        description:
          'Answers the attachment, decoded. Types that a browser would run, such as HTML and SVG, come as ' +
          '`application/octet-stream`; the message has the real type.',
        params: ByAttachment,
        querystring: BesideUids,
        response: binary('The attachment, under its own media type or as `application/octet-stream`.', '*/*'),
      },
    },
    async ({ caller, params, query }, reply) => {
      const { stored } = await findMessage(parts, caller, 'read', params.uid, query)
      const raw = await parts.large.fetch(stored, reply)
      const attachment = await parts.reader.attachment(raw, params.id)
      if (!attachment) throw notFound('attachment')
      const name = attachment.filename ?? `attachment-${params.id}`
      return reply.headers(downloadHeaders(name, attachment.contentType)).send(attachment.bytes)
    },
  )
}
