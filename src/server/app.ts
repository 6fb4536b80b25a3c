import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController } from 'fastify'
import { sql } from 'kysely'
import { blockedSenderRoutes } from '#/blocked-senders/routes.ts'
import { changeRoutes } from '#/changes/routes.ts'
import type { RunningChanges } from '#/changes/running-changes.ts'
import { conversationRoutes } from '#/conversations/routes.ts'
import type { Db } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import { mtaStsRoute } from '#/domains/mta-sts.ts'
import { domainRoutes } from '#/domains/routes.ts'
import { draftRoutes } from '#/drafts/routes.ts'
import { eventRoutes } from '#/event-stream/routes.ts'
import type { EventFeed } from '#/events/feed.ts'
import { mergeRoute } from '#/filters/merge-route.ts'
import { filterRoutes } from '#/filters/routes.ts'
import { forwardingRoutes } from '#/forwarding/routes.ts'
import { answerUnknownRoutes } from '#/http/allowed-methods.ts'
import { answerError } from '#/http/answers/answer-errors.ts'
import { AnswerMemory } from '#/http/answers/answer-memory.ts'
import { repeatChanges } from '#/http/answers/repeatable.ts'
import type { App } from '#/http/app-type.ts'
import { acceptJsonOnly } from '#/http/body/json-body.ts'
import { discardUnreadBodies } from '#/http/body/unread-bodies.ts'
import { type ClientAddressParts, findClients } from '#/http/connections/client-address.ts'
import { limitConnections, patience } from '#/http/connections/connection-limits.ts'
import { malformedRequests, newRequestId, overlookExpectations } from '#/http/connections/malformed-requests.ts'
import { healthRoutes } from '#/http/health.ts'
import { describeApi } from '#/http/openapi/openapi.ts'
import { refuseUnreadableQueries } from '#/http/validation/readable-query.ts'
import { refuseUndeclaredQueries, validatorCompiler } from '#/http/validation/validate.ts'
import { keyRoutes } from '#/keys/routes.ts'
import { labelRoutes } from '#/labels/routes.ts'
import type { MailboxRef } from '#/mail/mailbox-ref.ts'
import { ownAccessRoute } from '#/mailboxes/access/own-route.ts'
import { accessRoutes } from '#/mailboxes/access/routes.ts'
import { mailboxRoutes } from '#/mailboxes/routes.ts'
import { suspendRoutes } from '#/mailboxes/suspend-routes.ts'
import { memberRoutes } from '#/members/routes.ts'
import { LargeMessages } from '#/messages/content/large.ts'
import { messageRoutes } from '#/messages/routes.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { OpenPgp } from '#/openpgp/openpgp.ts'
import { auditRoutes } from '#/organizations/audit-routes.ts'
import { ofMember, ofOrganization } from '#/organizations/owned-routes.ts'
import { composeDraft } from '#/outbound/compose/draft.ts'
import type { Dispatch } from '#/outbound/dispatch.ts'
import type { AttemptsKey } from '#/passwords/attempts.ts'
import type { Presence } from '#/presence/presence.ts'
import { presenceRoute } from '#/presence/routes.ts'
import type { PublicHttp } from '#/public-http/public-http.ts'
import { replyRoutes } from '#/replies/routes.ts'
import { isAnswered } from '#/scheduled/already-answered.ts'
import { scheduledRoutes } from '#/scheduled/routes.ts'
import { searchRoutes } from '#/search/routes.ts'
import type { SealingKey } from '#/secrets/seal.ts'
import type { Composer } from '#/sending/composer.ts'
import { sendingRoutes } from '#/sending/routes.ts'
import { sentRoutes } from '#/sent/routes.ts'
import type { LinkMail } from '#/sessions/invitation/link-mail.ts'
import { memberManagementRoutes } from '#/sessions/invitation/routes.ts'
import { sessionRoutes } from '#/sessions/routes.ts'
import type { SignOn } from '#/sessions/single-sign-on/flow.ts'
import { signatureRoutes } from '#/signatures/routes.ts'
import { suppressionRoutes } from '#/suppressions/routes.ts'
import type { ThreadCache } from '#/threads/cache.ts'
import type { MailboxIndexes } from '#/threads/mailbox/mailbox-indexes.ts'
import type { ConversationNames } from '#/threads/message-ids.ts'
import { threadRoutes } from '#/threads/routes.ts'
import { RememberedTexts } from '#/threads/texts.ts'
import { usageRoutes } from '#/usage/routes.ts'
import { WebPages } from '#/web/files.ts'
import { postedRequests } from '#/webhooks/description.ts'
import type { WebhookParts } from '#/webhooks/parts.ts'
import { webhookRoutes } from '#/webhooks/routes.ts'
import { checkEveryRequest, type EveryRequestParts } from './every-request.ts'

export interface AppParts extends ClientAddressParts, EveryRequestParts {
  readonly webhooks: WebhookParts['webhooks']
  readonly db: Db
  /** Hashes Message-IDs. */
  readonly idKey: IdHashKey
  readonly events: EventFeed
  readonly presence: Presence
  /** Rejects while the DNS is away. */
  readonly checkDns: () => Promise<void>
  readonly runningChanges: RunningChanges
  readonly reader: MessageReader
  readonly openPgp: OpenPgp
  /** Fetches the pictures that messages name. */
  readonly publicHttp: PublicHttp
  readonly dispatch: Dispatch
  readonly linkMail: LinkMail
  /** Composes scheduled messages. */
  readonly composer: Composer
  /** Seals messages in the outbound queue. */
  readonly mailKey: SealingKey
  readonly threads: ThreadCache
  readonly mailboxIndexes: MailboxIndexes
  readonly names: ConversationNames
  readonly attemptsKey: AttemptsKey
  /** Seals the secrets of members' second factors. */
  readonly totpKey: SealingKey
  /** Whether members may have passwords. */
  readonly passwords: boolean
  /** Undefined without a provider. */
  readonly signOn: SignOn | undefined
  readonly time: SharedTime
  /** Seals the stored answers for an Idempotency-Key. */
  readonly answersKey: SealingKey
  /** Where the web app is built; undefined without one. */
  readonly webDirectory?: string | undefined
  /** This installation's name in DNS. */
  readonly hostname: string
  /** Whether senders can use TLS. */
  readonly tls: boolean
  /** From a domain's enrolment to its first check, in milliseconds. */
  readonly firstCheckAfter: number
  /** Whether domains reserved for tests and examples can be enrolled. */
  readonly allowReserved: boolean
}

/** All routes and their shared parts. Does not listen yet. */
export async function buildApp(parts: AppParts): Promise<App> {
  const web = new WebPages(parts.webDirectory)
  const app = bareApp(parts, web)
  overlookExpectations(app)
  limitConnections(app.server)
  acceptJsonOnly(app)
  const answers = new AnswerMemory()
  answers.watch(app)
  discardUnreadBodies(app)
  refuseUndeclaredQueries(app)
  refuseUnreadableQueries(app)
  findClients(app, parts)
  checkEveryRequest(app, parts)
  repeatChanges(app, parts.db)
  await describeApi(app, { publicUrl: parts.publicUrl, webhooks: postedRequests })
  healthRoutes(app, { database: () => sql`select 1`.execute(parts.db) }, { dns: parts.checkDns })
  mtaStsRoute(app, parts)
  await web.serve(app)
  nouns(app, { ...parts, large: new LargeMessages(answers) })
  await app.ready()
  return app
}

type Asked = [MailboxRef, readonly string[]]

/** The nouns in the order of the API description. */
function nouns(app: App, parts: AppParts & { readonly large: LargeMessages }): void {
  for (const whose of [ofOrganization, ofMember]) {
    labelRoutes(app, parts, whose)
    if (!whose.own) mergeRoute(app, parts)
    filterRoutes(app, parts.db, whose)
    blockedSenderRoutes(app, parts, whose)
  }
  forwardingRoutes(app, parts)
  sendingRoutes(app, parts)
  replyRoutes(app, parts)
  sentRoutes(app, parts)
  suppressionRoutes(app, parts)
  const scheduling = { ...parts, isAnswered: (...of: Asked) => isAnswered(parts, ...of) }
  draftRoutes(app, { ...scheduling, composeDraft })
  scheduledRoutes(app, scheduling)
  const conversations = {
    ...parts,
    texts: new RememberedTexts(parts.db),
    idsOf: parts.names.of,
  }
  messageRoutes(app, conversations)
  changeRoutes(app, parts)
  searchRoutes(app, parts)
  threadRoutes(app, conversations)
  conversationRoutes(app, conversations)
  eventRoutes(app, parts)
  presenceRoute(app, parts)
  signatureRoutes(app, parts)
  webhookRoutes(app, parts)
  domainRoutes(app, parts)
  mailboxRoutes(app, parts)
  suspendRoutes(app, parts)
  accessRoutes(app, parts)
  ownAccessRoute(app, parts)
  usageRoutes(app, parts)
  memberRoutes(app, parts)
  memberManagementRoutes(app, parts)
  sessionRoutes(app, parts)
  keyRoutes(app, parts)
  auditRoutes(app, parts)
}

function bareApp({ log, answersKey }: AppParts, web: WebPages): App {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    ...malformedRequests,
    ...patience,
    bodyLimit: 1 << 20,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Room for a blocked pattern: a whole address, URL-encoded.
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: answerError,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  app.setErrorHandler(answerError)
  answerUnknownRoutes(app, web)
  app.decorate('answersKey', answersKey)
  app.decorateRequest('caller')
  app.decorateRequest('organizationId', '')
  app.decorateRequest('actor')
  app.decorateRequest('actorId', '')
  app.decorateRequest('scopes')
  app.decorateRequest('member', undefined)
  app.decorateRequest('identify')
  app.decorateRequest('fingerprint', null)
  return app
}
