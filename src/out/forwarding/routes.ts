import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { pagedWhole } from '#/http/schemas/cursor.ts'
import { Line, ListOf, Strict, wholeOrPages } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { assertAlone } from '#/mail/messages/message.ts'
import { configure, settingsOf } from './configure.ts'
import { forwardingOfAll, type Row } from './queries.ts'
import { ForwardingChange, ForwardingOut, present, readChange } from './schemas.ts'

const noun = 'Forwarding'

function placeOf({ createdAt, mailboxId }: Row): [number, string] {
  return [createdAt.getTime(), mailboxId]
}

/** Settings of forwarding and auto-reply. */
export function forwardingRoutes(app: App, { db, time }: { db: Db; time: SharedTime }): void {
  app.get(
    '/v1/forwarding',
    {
      config: { scope: 'forwarding:read', noun, errors: ['not_found'] },
      schema: {
        summary: 'Show forwarding and auto-reply',
        operationId: 'getForwarding',
        description:
          'Lists the settings of every mailbox, even if they were never changed. With `mailbox`, answers the object of that mailbox alone.',
        querystring: Strict({ mailbox: Type.Optional(Line({ minLength: 1, maxLength: 320 })), ...wholeOrPages }),
        response: { 200: Type.Union([ForwardingOut, ListOf(ForwardingOut)]) },
      },
    },
    async ({ caller, query }) => {
      const now = await time(db)
      const { mailbox, ...paging } = query
      if (mailbox !== undefined) {
        assertAlone('mailbox', paging)
        return present(await settingsOf(db, caller, mailbox), now)
      }
      const list = [caller.organizationId, 'forwarding']
      const { page, next_cursor } = pagedWhole(await forwardingOfAll(db, caller), paging, { list, placeOf })
      return { data: page.map((row) => present(row, now)), next_cursor }
    },
  )

  app.patch(
    '/v1/forwarding',
    {
      config: { scope: 'forwarding:write', noun, errors: ['not_found'] },
      schema: {
        summary: 'Change forwarding and auto-reply',
        operationId: 'updateForwarding',
        description:
          'Changes one mailbox. Switching a half on sets its `since`, even if it was on: only mail that arrives after that ' +
          'is forwarded or answered. A copy of forwarded mail stays in the mailbox. Clearing the destination or the text ' +
          'of a half switches it off. A Private mailbox can answer, but not forward. A mailbox forwards at most 1,000 ' +
          'messages a UTC day. It answers at most 100, each sender once in four days, and only senders that pass SPF or ' +
          'DKIM.',
        body: ForwardingChange,
        response: { 200: ForwardingOut },
      },
    },
    async (request) => {
      const { caller, actor, body } = request
      const change = readChange(body)
      return await changeOnce(db, request, async (tx) => {
        const now = await time(tx)
        return present(await configure(tx, caller, body.mailbox, change, { now, by: actor }), now)
      })
    },
  )
}
