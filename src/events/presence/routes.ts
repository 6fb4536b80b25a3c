import type { Db } from '#/base/db/schema.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { App } from '#/http/app-type.ts'
import { Id, Line, Nullable, OneOf, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { mailboxFor } from '#/mail/mailboxes/readable.ts'
import { membersWith } from '#/people/members/queries.ts'
import { doings, type Presence } from './presence.ts'

const PresentOut = Type.Object(
  {
    member_id: Id,
    name: Type.String({ examples: ['Ada Lovelace'], description: 'Empty if none was given.' }),
    email: Type.String({ examples: ['ada@tryout.test'] }),
    doing: OneOf(doings),
  },
  { title: 'PresentMember' },
)

/** Members see who else is in a conversation. */
export function presenceRoute(app: App, { db, presence }: { db: Db; presence: Presence }): void {
  app.put(
    '/v1/me/presence',
    {
      ...hiddenFromKeys,
      config: { access: 'member', noun: 'Presence', repeatable: false, errors: ['not_found'] },
      schema: {
        summary: 'Say that you are in a conversation, and see who else is',
        operationId: 'reportPresence',
        description:
          'Answers the others in the conversation. What you say holds for a minute, or until `doing` is null, so ' +
          'repeat it every 25 seconds. A stream of events reports changes by messages `event: presence`.',
        body: Strict({
          mailbox: Line({ maxLength: 320, description: 'An address.', examples: ['support@tryout.test'] }),
          conversation: Type.String({
            pattern: '^[A-Za-z0-9_-]{16}$',
            form: 'an id of GET /v1/threads, of 16 characters',
            description: 'An id of `GET /v1/threads`.',
            examples: ['q83vEjRWeJASNFZ4'],
          }),
          doing: Nullable(OneOf(doings, { description: 'Null if the member has left.' })),
        }),
        response: { 200: Type.Object({ data: Type.Array(PresentOut) }) },
      },
    },
    async ({ caller, organizationId, actorId, body: { mailbox: address, conversation, doing } }) => {
      const { mailboxId } = await mailboxFor(db, caller, 'read', address)
      const place = { organizationId, mailboxId, mailbox: canonicalAddress(address) ?? address, conversation }
      await presence.report({ ...place, memberId: actorId, doing })
      const others = presence.othersIn(place, actorId)
      const members = await membersWith(db, organizationId, [...others.keys()])
      const data = members.flatMap(({ id, name, email }) => {
        const does = others.get(id)
        return does ? { member_id: id, name, email, doing: does } : []
      })
      return { data }
    },
  )
}
