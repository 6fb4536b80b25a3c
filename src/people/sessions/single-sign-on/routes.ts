import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '#/base/clock/clock.ts'
import { invalid, notFound } from '#/base/errors.ts'
import { hiddenFromKeys, sessionEnded } from '#/http/access/authorize.ts'
import { cookieWith, requestOrigin, tokenIn } from '#/http/access/session-cookie.ts'
import type { App } from '#/http/app-type.ts'
import { Line, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { forMembers, memberOf } from '../for-members.ts'
import { meOf } from '../me.ts'
import { type EnterDependencies, enter } from '../sign-in/enter.ts'
import type { Arrival } from '../sign-in/sign-in.ts'
import { SignOnFailure } from './failure.ts'
import { beginSignOn, completeSignOn, type SignOn, type SignOnRequest } from './flow.ts'

export interface SignOnRouteDependencies extends EnterDependencies {
  /** Undefined without a provider. */
  readonly signOn: SignOn | undefined
  readonly clock: Clock
}

const callbackPath = '/v1/session/single-sign-on/callback'
/** Providers send parameters of their own too. */
const anyQuery = Type.Object({})

const cookie = 'mailroom_single_sign_on'
const cookieSeconds = 600

/** The page that confirms, and shows the result. */
const confirmPage = '/confirm'

const Redirection = Type.Object({
  url: Type.String({
    description: 'Where the browser has to go now, in this window.',
    examples: ['https://id.example.com/authorize?…'],
  }),
})

/** A path of ours in every browser: `//` and a backslash would begin another host. @throws Refusal */
function ownPath(path: string): string {
  if (/^\/(?![/\\])[^\\]*$/.test(path)) return path
  throw invalid('to', 'to must be a path of this service: it begins with one /')
}

const OwnPath = Line({
  maxLength: 2_000,
  description: 'The path where the browser goes once it is signed in. By default `/`.',
  examples: ['/mail'],
  rule: ownPath,
})

/** Members sign in, and confirm who they are, through a provider of OpenID Connect. */
export function signOnRoutes(app: App, parts: SignOnRouteDependencies): void {
  beginRoute(app, parts)
  confirmRoute(app, parts)
  callbackRoute(app, parts)
}

function beginRoute(app: App, parts: SignOnRouteDependencies): void {
  app.post(
    '/v1/session/single-sign-on',
    {
      ...hiddenFromKeys,
      config: { access: 'sign-in', noun: 'Sessions', errors: ['provider_unavailable'] },
      schema: {
        summary: 'Begin single sign-on',
        operationId: 'beginSignOn',
        description:
          'Answers the URL at the provider, and sets a cookie that is valid for 10 minutes. Without a provider this ' +
          'is 404.',
        body: Strict({
          to: Type.Optional(OwnPath),
          organization: Type.Optional(
            Line({ description: 'The name or id of the organization, for a member of several.', examples: ['tryout'] }),
          ),
        }),
        response: { 200: Redirection },
      },
    },
    async (request, reply) => {
      const { to = '/', organization = null } = request.body
      return await begin(parts, request, reply, {
        returnTo: ownPath(to),
        organization,
        session: null,
        anewAs: undefined,
      })
    },
  )
}

function confirmRoute(app: App, parts: SignOnRouteDependencies): void {
  app.post(
    '/v1/session/confirm/single-sign-on',
    {
      ...forMembers,
      config: { ...forMembers.config, repeatable: false, errors: ['provider_unavailable'] },
      schema: {
        summary: 'Begin to confirm by single sign-on',
        operationId: 'confirmSignOn',
        description:
          'Answers the URL at which the member signs in at the provider again. The browser then returns to `/confirm`. Dangerous requests ' +
          'are then allowed for 10 minutes in this session. Without a provider this is 404.',
        response: { 200: Redirection },
      },
    },
    async (request, reply) => {
      const { organizationId, member } = request
      const me = await meOf(parts.db, memberOf(request))
      if (!me || !member) throw sessionEnded(reply)
      const session = { organizationId, id: member.sessionId }
      return await begin(parts, request, reply, {
        returnTo: confirmPage,
        organization: null,
        session,
        anewAs: me.email,
      })
    },
  )
}

async function begin(
  { db, signOn, clock, publicUrl }: SignOnRouteDependencies,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  wanted: Omit<SignOnRequest, 'redirectUri'>,
): Promise<{ url: string }> {
  if (!signOn) throw notFound('provider of single sign-on')
  const redirectUri = requestOrigin(headers, publicUrl) + callbackPath
  const { url, token } = await beginSignOn({ db, signOn }, { ...wanted, redirectUri }, new Date(clock.now()))
  reply.header('Set-Cookie', cookieWith(cookie, headers, publicUrl, { token, seconds: cookieSeconds }))
  return { url }
}

/** Not part of the API: the provider redirects browsers here, and they are redirected to a page in any case. */
function callbackRoute(app: App, { signOn, clock, ...parts }: SignOnRouteDependencies): void {
  const { db, publicUrl } = parts
  if (!signOn) return
  app.get(
    callbackPath,
    {
      ...hiddenFromKeys,
      config: { access: 'sign-in' },
      exposeHeadRoute: false,
      schema: { hide: true, querystring: anyQuery },
    },
    async (request, reply) => {
      const { headers, clientAddress: address } = request
      const arrival: Arrival = { address, userAgent: headers['user-agent'] ?? '', now: new Date(clock.now()) }
      const answer = new URL(request.url, requestOrigin(headers, publicUrl))
      const token = tokenIn(cookie, headers, publicUrl)
      reply.header('Set-Cookie', cookieWith(cookie, headers, publicUrl, { token: '', seconds: 0 }))
      reply.header('Referrer-Policy', 'no-referrer')
      // Whole URLs: a path that begins with `//` would lead to another host.
      const leadTo = (page: string) => reply.redirect(new URL(page, answer.origin).href, 303)
      try {
        const { returnTo, opened } = await completeSignOn({ db, signOn }, { answer, token }, arrival)
        if (opened) await enter(parts, { request, reply, token: opened.token })
        return leadTo(opened ? returnTo : `${returnTo}?done=1`)
      } catch (error) {
        if (!(error instanceof SignOnFailure)) throw error
        const { reason, page, message } = error
        request.log.warn({ reason, detail: message }, 'single sign-on failed')
        return leadTo(`${page}?failed=${reason}`)
      }
    },
  )
}
