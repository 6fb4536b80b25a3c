import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { hiddenFromKeys } from '#/http/access/authorize.ts'
import type { App } from '#/http/app-type.ts'
import { Line, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { linkToken } from '../invitation/link.ts'
import { holderOfLink } from '../queries.ts'
import { hashToken } from '../token.ts'
import { givenLink } from './body.ts'
import { unusable } from './sign-in.ts'

const LinkBody = Strict({ link: Line(givenLink) }, { examples: [{ link: givenLink.examples[0] }] })

const LinkHolder = Type.Object(
  {
    email: Type.String({ examples: ['ada@tryout.test'] }),
    name: Type.String({ examples: ['Ada Lovelace'] }),
    organization: Type.String({ description: 'The name of the organization.', examples: ['tryout'] }),
  },
  { title: 'SignInLinkHolder' },
)

/** Whom a link signs in, to be asked before it does: it may be another's, sent to make somebody work in a foreign account. */
export function linkRoute(app: App, { db, clock }: { readonly db: Db; readonly clock: Clock }): void {
  app.post(
    '/v1/session/link',
    {
      ...hiddenFromKeys,
      config: { access: 'sign-in', noun: 'Sessions' },
      schema: {
        summary: 'Show whom a sign-in link signs in',
        operationId: 'showSignInLink',
        description: 'The link stays valid, and no session begins or ends.',
        body: LinkBody,
        response: { 200: LinkHolder },
      },
    },
    async ({ body }) => {
      const token = linkToken(body.link)
      const holder = token === undefined ? undefined : await holderOfLink(db, hashToken(token), new Date(clock.now()))
      if (!holder) throw unusable()
      return holder
    },
  )
}
