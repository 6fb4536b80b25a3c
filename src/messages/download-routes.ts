import { Readable } from 'node:stream'
import type { FastifyContextConfig } from 'fastify'
import { notFound } from '#/errors.ts'
import type { App } from '#/http/app-type.ts'
import type { Caller } from '#/http/caller.ts'
import { type Static, Type } from '#/http/type.ts'
import { mailboxFor } from '#/mailboxes/readable.ts'
import type { Stored } from '#/ports/mail-host.ts'
import { downloadHeaders } from './download.ts'
import { folderName } from './folder-name.ts'
import type { LargeMessages } from './large.ts'
import { pathUid } from './message.ts'
import type { MessageParts } from './routes.ts'
import { ByUid, InFolder, pathUidSchema } from './schemas.ts'

const ByAttachment = Type.Object({
  uid: pathUidSchema,
  id: Type.String({ description: 'Of the attachment in its message.' }),
})

function bytes(description: string, type: string) {
  return { 200: { description, content: { [type]: { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } } } }
}

/** Downloads of a message or an attachment. A browser must never show them under our origin. */
export function downloadRoutes(
  app: App,
  { db, mailHost, reader }: MessageParts,
  large: LargeMessages,
  config: FastifyContextConfig,
): void {
  async function find(caller: Caller, uid: string, query: Static<typeof InFolder>): Promise<Stored> {
    const folder = folderName(query.folder ?? 'inbox')
    const number = pathUid(uid)
    const mailbox = await mailboxFor(db, caller, 'read', query.mailbox)
    const stored = await mailHost.read(mailbox, folder, number)
    if (!stored) throw notFound('message')
    return stored
  }

  app.get(
    '/v1/messages/:uid/raw',
    {
      config,
      schema: {
        summary: 'Download a message',
        description: 'Its bytes as they are stored (RFC 5322).',
        params: ByUid,
        querystring: InFolder,
        response: bytes('The message.', 'message/rfc822'),
      },
    },
    async ({ caller, params, query }, reply) => {
      const { summary, pieces } = await find(caller, params.uid, query)
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
        description:
          'Decoded. Types that a browser would run, such as HTML and SVG, come as `application/octet-stream`; the message ' +
          'has the real type.',
        params: ByAttachment,
        querystring: InFolder,
        response: bytes('The attachment, under its own media type or as `application/octet-stream`.', '*/*'),
      },
    },
    async ({ caller, params, query }, reply) => {
      const raw = await large.fetch(await find(caller, params.uid, query), reply)
      const attachment = await reader.attachment(raw, params.id)
      if (!attachment) throw notFound('attachment')
      const name = attachment.filename ?? `attachment-${params.id}`
      return reply.headers(downloadHeaders(name, attachment.contentType)).send(attachment.bytes)
    },
  )
}
