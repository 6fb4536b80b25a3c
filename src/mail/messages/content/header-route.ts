import type { FastifyContextConfig } from 'fastify'
import type { App } from '#/http/app-type.ts'
import type { MessageDependencies } from '../dependencies.ts'
import { findMessage } from '../find.ts'
import { BesideUids, ByMessage } from '../query-schemas.ts'
import { HeaderFieldsOut } from '../schemas.ts'
import { headerFieldsOf } from './header-fields.ts'

/** The header of a message. */
export function headerRoute(app: App, parts: MessageDependencies, config: FastifyContextConfig): void {
  app.get(
    '/v1/messages/:uid/headers',
    {
      config,
      schema: {
        summary: 'Read a message’s header',
        operationId: 'getMessageHeaders',
        description:
          'Answers the header fields in their order: at most 1,000, and only those in the first 256 KiB of the ' +
          'message.',
        params: ByMessage,
        querystring: BesideUids,
        response: { 200: HeaderFieldsOut },
      },
    },
    async ({ caller, params, query }) => {
      const { stored } = await findMessage(parts, caller, 'read', params.uid, query)
      return headerFieldsOf(stored)
    },
  )
}
