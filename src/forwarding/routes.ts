import type { Db } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { App } from '#/http/app-type.ts'
import { Line, ListOf, Strict } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { forwardingOfAll } from './queries.ts'
import { ForwardingChange, ForwardingOut, present, readChange } from './schemas.ts'
import { configure, settingsOf } from './store.ts'

const noun = 'Forwarding and auto-reply'

/** What mailboxes do with their mail by themselves: pass on a copy, answer. */
export function forwardingRoutes(app: App, { db, time }: { db: Db; time: SharedTime }): void {
  app.get(
    '/v1/forwarding',
    {
      config: { scope: 'forwarding:read', noun, errors: ['not_found'] },
      schema: {
        summary: 'Show forwarding and auto-reply',
        operationId: 'showForwarding',
        description:
          'The settings of every mailbox, those never configured among them; with `mailbox` the bare object of that one.',
        querystring: Strict({ mailbox: Type.Optional(Line({ minLength: 1, maxLength: 320 })) }),
        response: { 200: Type.Union([ForwardingOut, ListOf(ForwardingOut)]) },
      },
    },
    async ({ organizationId, query }) => {
      const now = await time(db)
      if (query.mailbox !== undefined) return present(await settingsOf(db, organizationId, query.mailbox), now)
      return { data: (await forwardingOfAll(db, organizationId)).map((row) => present(row, now)) }
    },
  )

  app.patch(
    '/v1/forwarding',
    {
      config: { scope: 'forwarding:write', noun, errors: ['not_found'] },
      schema: {
        summary: 'Change forwarding and auto-reply',
        operationId: 'changeForwarding',
        description:
          'Changes one mailbox. Switching a half on stamps its `since` anew, also where it was on: only mail that arrives ' +
          'after that is passed on or answered. A copy of what is forwarded stays in the mailbox. Clearing the ' +
          'destination or the text of a half that is on switches it off. A Private mailbox can answer, but not forward. ' +
          'A mailbox passes on at most 1,000 messages a day (UTC). It answers at most 100, once in four days each sender, ' +
          'and only senders whom SPF or DKIM proves.',
        body: ForwardingChange,
        response: { 200: ForwardingOut },
      },
    },
    async ({ organizationId, body }) => {
      const change = readChange(body)
      return await db.transaction().execute(async (tx) => {
        const now = await time(tx)
        return present(await configure(tx, organizationId, body.mailbox, change, now), now)
      })
    },
  )
}
