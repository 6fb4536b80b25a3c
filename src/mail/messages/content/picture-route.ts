import type { FastifyContextConfig } from 'fastify'
import { Refusal } from '#/base/errors.ts'
import { FairShare } from '#/base/event-loop/fair-share.ts'
import type { App } from '#/http/app-type.ts'
import { HttpFailed } from '#/http/public-http/failure.ts'
import { holderOf, shareFor } from '#/http/rate/budgets.ts'
import { Line, Strict } from '#/http/schemas/shared-schemas.ts'
import type { MessageDependencies } from '../dependencies.ts'
import { findMessage } from '../find.ts'
import { ByMessage, besideUids } from '../query-schemas.ts'
import { binary, downloadHeaders } from './download.ts'
import { fetchPicture } from './remote-picture.ts'

/** Pictures that are fetched at a time. A page asks for six. */
const budget = { all: 24, waiting: 1_000, patience: 30_000 }

/** Pictures of a message on other servers: the service fetches them, so that those servers learn nothing about the reader. */
export function pictureRoute(app: App, parts: MessageDependencies, config: FastifyContextConfig): void {
  const { reader, large, publicHttp } = parts
  const pictures = new FairShare(budget)

  app.get(
    '/v1/messages/:uid/picture',
    {
      config,
      schema: {
        summary: 'Fetch a remote picture of a message',
        operationId: 'fetchMessagePicture',
        description:
          'Answers a picture that the HTML of the message names by an address. The service fetches it, from ' +
          'public addresses alone, without cookies and referrer, so the sender learns that the picture was ' +
          'fetched, but not by whom. It may be AVIF, WebP, PNG, JPEG, GIF or BMP of up to 5,000,000 octets. Any ' +
          'other picture, and one that does not come within 10 seconds with all redirects, is `not_found`.',
        params: ByMessage,
        querystring: Strict({
          ...besideUids,
          url: Line({
            minLength: 1,
            maxLength: 8_192,
            description: 'The address exactly as the HTML has it.',
            examples: ['https://news.example/logo.png'],
          }),
        }),
        response: binary('The picture, under its own media type.', 'image/*'),
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request
      const { stored } = await findMessage(parts, caller, 'read', params.uid, query)
      if (!(await large.read(stored, holderOf(request), (raw) => reader.names(raw, query.url))))
        throw new Refusal('not_found', 'The message names no such picture')
      using _share = await shareFor(pictures, reply, 1, 'Too many pictures are being fetched at this moment')
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      try {
        const { contentType, bytes } = await fetchPicture(publicHttp, query.url, gone.signal)
        return reply.headers(downloadHeaders('picture', contentType)).send(bytes)
      } catch (error) {
        if (!(error instanceof HttpFailed)) throw error
        throw new Refusal('not_found', `The picture cannot be fetched: ${error.message}`, { cause: error })
      }
    },
  )
}
