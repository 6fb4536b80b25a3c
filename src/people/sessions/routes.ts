import type { FastifyRequest } from 'fastify'
import { hiddenFromKeys, sessionEnded } from '#/http/access/authorize.ts'
import { cookieWith, sessionToken } from '#/http/access/session-cookie.ts'
import type { App } from '#/http/app-type.ts'
import { Nullable } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { forMembers, memberOf } from './for-members.ts'
import { sessionListRoutes } from './list-routes.ts'
import { MeOut, meOf } from './me.ts'
import { relyingPartyAt } from './passkeys/relying-party.ts'
import { passkeyParts, passkeyRoutes } from './passkeys/routes.ts'
import { assertPasswords } from './password/passwords-off.ts'
import { type PasswordRouteDependencies, passwordRoutes } from './password/routes.ts'
import { SignIn, waySigningIn } from './sign-in/body.ts'
import { enter } from './sign-in/enter.ts'
import { linkRoute } from './sign-in/link-route.ts'
import { type Arrival, type Opened, signInByLink, signInByPasskey, signInByPassword } from './sign-in/sign-in.ts'
import { endSession } from './sign-out.ts'
import { type SignOnRouteDependencies, signOnRoutes } from './single-sign-on/routes.ts'
import { totpRoutes } from './totp/routes.ts'

export interface SessionDependencies extends PasswordRouteDependencies, SignOnRouteDependencies {}

/** Members sign in and out. */
export function sessionRoutes(app: App, parts: SessionDependencies): void {
  waysRoute(app, parts)
  signInRoute(app, parts)
  linkRoute(app, parts)
  signOutRoute(app, parts)
  sessionListRoutes(app, parts)
  passwordRoutes(app, parts)
  totpRoutes(app, parts)
  passkeyRoutes(app, parts)
  signOnRoutes(app, parts)
  app.get(
    '/v1/me',
    {
      ...forMembers,
      schema: {
        summary: 'Show who is signed in',
        operationId: 'getMe',
        description: 'Answers the member, the mailboxes whose mail the session may use, and what the role may do.',
        response: { 200: MeOut },
      },
    },
    async (request, reply) => {
      const me = await meOf(parts.db, memberOf(request))
      if (!me) throw sessionEnded(reply)
      return me
    },
  )
}

const SignInWays = Type.Object(
  {
    password: Type.Boolean(),
    passkey: Type.Boolean(),
    single_sign_on: Nullable(
      Type.Object({
        name: Type.String({ description: 'The name by which people know the provider.', examples: ['Acme'] }),
      }),
    ),
  },
  { title: 'SignInWays' },
)

function waysRoute(app: App, { passwords: password, publicUrl, signOn }: SessionDependencies): void {
  app.get(
    '/v1/session/ways',
    {
      ...hiddenFromKeys,
      config: { access: 'sign-in', noun: 'Sessions' },
      schema: {
        summary: 'List the ways to sign in',
        operationId: 'listSignInWays',
        description: 'Lists the ways that the operator has set up, besides sign-in links.',
        response: { 200: SignInWays },
      },
    },
    (request) => ({
      password,
      passkey: relyingPartyAt(request, publicUrl) !== undefined,
      single_sign_on: signOn ? { name: signOn.provider.name } : null,
    }),
  )
}

function signInRoute(app: App, parts: SessionDependencies): void {
  app.post(
    '/v1/session',
    {
      ...hiddenFromKeys,
      config: { access: 'sign-in', noun: 'Sessions' },
      schema: {
        summary: 'Sign in',
        operationId: 'signIn',
        description:
          'Signs in with a link, which works once; with e-mail address and password; or with a passkey, by a ' +
          'challenge of `POST /v1/session/challenge`. A member who has a second factor adds a `code` to the ' +
          'password; without it the answer to the right password is 401, and its `needs` is `code`. The answer ' +
          'sets the cookie of a new session, and the session of the request, if there is one, ends. Failed ' +
          'attempts are slowed: after ten in an hour a client gets 429.',
        body: SignIn,
        response: { 201: MeOut },
      },
    },
    async (request, reply) => {
      const { headers, clientAddress: address } = request
      const arrival = { address, userAgent: headers['user-agent'] ?? '', now: new Date(parts.clock.now()) }
      const { token, member } = await signedIn(parts, request, arrival)
      await enter(parts, { request, reply, token })
      const me = await meOf(parts.db, member)
      if (!me) throw sessionEnded(reply)
      return reply.code(201).header('Location', '/v1/me').send(me)
    },
  )
}

async function signedIn(
  parts: SessionDependencies,
  request: FastifyRequest<{ Body: Static<typeof SignIn> }>,
  arrival: Arrival,
): Promise<Opened> {
  const way = waySigningIn(request.body)
  if ('link' in way) return signInByLink(parts.db, way.link, arrival)
  if ('passkey' in way) return signInByPasskey(passkeyParts(parts, request), way.passkey, arrival)
  assertPasswords(parts.passwords)
  return signInByPassword(parts, way, arrival)
}

function signOutRoute(app: App, { db, sessions, publicUrl }: SessionDependencies): void {
  app.delete(
    '/v1/session',
    {
      ...forMembers,
      config: { ...forMembers.config, repeatable: false },
      schema: {
        summary: 'Sign out',
        operationId: 'signOut',
        description: 'Ends the session and takes its cookie away.',
        response: { 200: Type.Object({ signed_out: Type.Literal(true) }) },
      },
    },
    async (request, reply) => {
      const { headers, member } = request
      if (member) {
        const { sessionId } = member
        await db.transaction().execute((tx) => endSession(tx, memberOf(request), sessionId, request.actor))
      }
      const token = sessionToken(headers, publicUrl)
      if (token !== undefined) sessions.forget(token)
      reply.header('Set-Cookie', cookieWith('mailroom_session', headers, publicUrl, { token: '', seconds: 0 }))
      return { signed_out: true as const }
    },
  )
}
