import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController } from 'fastify'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import type { EventFeed } from '#/base/event-log/feed.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { mtaStsRoute } from '#/domains/mta-sts.ts'
import { domainRoutes } from '#/domains/routes.ts'
import { eventRoutes } from '#/events/event-stream/routes.ts'
import type { Presence } from '#/events/presence/presence.ts'
import { presenceRoute } from '#/events/presence/routes.ts'
import type { WebhookDependencies } from '#/events/webhooks/dependencies.ts'
import { postedRequests } from '#/events/webhooks/description.ts'
import { webhookRoutes } from '#/events/webhooks/routes.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import { ofMember, ofOrganization } from '#/http/access/owned-routes.ts'
import { answerUnknownRoutes } from '#/http/allowed-methods.ts'
import { answerError } from '#/http/answers/answer-errors.ts'
import { AnswerMemory } from '#/http/answers/answer-memory.ts'
import { repeatChanges } from '#/http/answers/repeatable.ts'
import type { App } from '#/http/app-type.ts'
import { acceptJsonOnly } from '#/http/body/json-body.ts'
import { discardUnreadBodies } from '#/http/body/unread-bodies.ts'
import { type ClientAddressDependencies, findClients } from '#/http/connections/client-address.ts'
import { limitConnections, patience } from '#/http/connections/connection-limits.ts'
import { malformedRequests, newRequestId, overlookExpectations } from '#/http/connections/malformed-requests.ts'
import { healthRoutes } from '#/http/health.ts'
import { describeApi } from '#/http/openapi/openapi.ts'
import type { PublicHttp } from '#/http/public-http/public-http.ts'
import { refuseUnreadableQueries } from '#/http/validation/readable-query.ts'
import { refuseUndeclaredQueries, validatorCompiler } from '#/http/validation/validate.ts'
import { WebPages } from '#/http/web/files.ts'
import { changeRoutes } from '#/mail/changes/routes.ts'
import type { RunningChanges } from '#/mail/changes/running-changes.ts'
import { conversationRoutes } from '#/mail/conversations/routes.ts'
import { folderRoutes } from '#/mail/folders/routes.ts'
import { labelRoutes } from '#/mail/labels/routes.ts'
import { ownAccessRoute } from '#/mail/mailboxes/access/own-route.ts'
import { accessRoutes } from '#/mail/mailboxes/access/routes.ts'
import { mailboxRoutes } from '#/mail/mailboxes/routes.ts'
import { suspendRoutes } from '#/mail/mailboxes/suspend-routes.ts'
import { LargeMessages } from '#/mail/messages/large.ts'
import { messageRoutes } from '#/mail/messages/routes.ts'
import { searchRoutes } from '#/mail/search/routes.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { ThreadCache } from '#/mail/threads/cache.ts'
import type { MailboxIndexes } from '#/mail/threads/mailbox-indexes.ts'
import type { ConversationNames } from '#/mail/threads/message-ids.ts'
import { threadRoutes } from '#/mail/threads/routes.ts'
import { RememberedTexts } from '#/mail/threads/texts.ts'
import { composeDraft } from '#/out/compose/draft.ts'
import type { Dispatch } from '#/out/delivery/dispatch.ts'
import { draftRoutes } from '#/out/drafts/routes.ts'
import { forwardingRoutes } from '#/out/forwarding/routes.ts'
import { replyRoutes } from '#/out/replies/routes.ts'
import { isAnswered } from '#/out/scheduled/already-answered.ts'
import { scheduledRoutes } from '#/out/scheduled/routes.ts'
import type { Composer } from '#/out/sending/composer.ts'
import { sendingRoutes } from '#/out/sending/routes.ts'
import { sentRoutes } from '#/out/sent/routes.ts'
import { signatureRoutes } from '#/out/signatures/routes.ts'
import { suppressionRoutes } from '#/out/suppressions/routes.ts'
import { keyRoutes } from '#/people/keys/routes.ts'
import { memberRoutes } from '#/people/members/routes.ts'
import { auditRoutes } from '#/people/organizations/audit-routes.ts'
import type { AttemptsKey } from '#/people/passwords/attempts.ts'
import { memberManagementRoutes } from '#/people/sessions/invitation/routes.ts'
import type { LinkMail } from '#/people/sessions/link-mail.ts'
import { sessionRoutes } from '#/people/sessions/routes.ts'
import type { SignOn } from '#/people/sessions/single-sign-on/flow.ts'
import { usageRoutes } from '#/people/usage/routes.ts'
import { blockedSenderRoutes } from '#/rules/blocked-senders/routes.ts'
import { mergeRoute } from '#/rules/filters/merge-route.ts'
import { filterRoutes } from '#/rules/filters/routes.ts'
import { checkEveryRequest, type EveryRequestDependencies } from './every-request.ts'

export interface AppDependencies extends ClientAddressDependencies, EveryRequestDependencies {
  readonly webhooks: WebhookDependencies['webhooks']
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
export async function buildApp(parts: AppDependencies): Promise<App> {
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
function nouns(app: App, parts: AppDependencies & { readonly large: LargeMessages }): void {
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
  folderRoutes(app, parts)
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

function bareApp({ log, answersKey }: AppDependencies, web: WebPages): App {
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
