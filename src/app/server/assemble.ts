import { EventEmitter } from 'node:events'
import type { Config } from '#/app/config/config.ts'
import type { Database } from '#/base/db/open.ts'
import { announceEvents } from '#/base/event-log/announce.ts'
import { anchorLog } from '#/base/event-log/log.ts'
import { Foreground } from '#/base/event-loop/foreground.ts'
import type { Loop } from '#/base/event-loop/loop.ts'
import type { Listening } from '#/base/network/listening.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { DomainChecks } from '#/domains/checks/checks.ts'
import { sealedAs as dkimKeys } from '#/domains/dkim/make-keys.ts'
import { type SigningKeys, signingKeys as signingKeysOf } from '#/domains/dkim/signing-keys.ts'
import { pausedNotice } from '#/events/webhooks/paused-mail.ts'
import { WebhookWorker } from '#/events/webhooks/worker.ts'
import { relayMarkKey } from '#/formats/mime/authentication/relay-mark.ts'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import { MessageReader } from '#/formats/mime/reader.ts'
import { OpenPgp } from '#/formats/openpgp/openpgp.ts'
import { PublicHttp } from '#/http/public-http/public-http.ts'
import { RunningChanges } from '#/mail/changes/running-changes.ts'
import { SearchIndexer } from '#/mail/search-index/indexer.ts'
import { folderChanges } from '#/mail/store/changes.ts'
import { folderStates } from '#/mail/store/folders.ts'
import { ThreadCache } from '#/mail/threads/cache.ts'
import { MailboxIndexes } from '#/mail/threads/mailbox-indexes.ts'
import { ConversationNames } from '#/mail/threads/message-ids.ts'
import { composerWith } from '#/out/compose/composer.ts'
import { Dispatch } from '#/out/delivery/dispatch.ts'
import { linkMail } from '#/out/delivery/link-mail.ts'
import { PendingCopies } from '#/out/delivery/pending-copies.ts'
import { nextRoundAfter, Rounds } from '#/out/delivery/rounds.ts'
import { OutboundWorker } from '#/out/delivery/worker.ts'
import { followUpComposer } from '#/out/follow-ups/compose-follow-up.ts'
import { FollowUps } from '#/out/follow-ups/follow-ups.ts'
import { returnPaths } from '#/out/follow-ups/return-paths.ts'
import { Srs } from '#/out/follow-ups/srs.ts'
import { blinding, sealedAs as mailOut } from '#/out/queue/sealed.ts'
import { notifier } from '#/out/reports/bounce.ts'
import { BounceAddresses, envelopeSenderOf } from '#/out/sent/bounce-address.ts'
import { FilterRunner } from '#/rules/filters/runs/runner.ts'
import { lookUpsFor } from '#/smtp/inbound/authentication/authenticate.ts'
import { receptionFor, startInbound } from '#/smtp/inbound/inbound.ts'
import { LocalMailTransport } from '#/smtp/inbound/local-delivery.ts'
import { admissionBy } from '#/smtp/inbound/recipients/admit.ts'
import { startApi } from './api.ts'
import { DnsHealth } from './dns-health.ts'
import { Housekeeping } from './housekeeping.ts'
import { startMailPrograms } from './mail-programs.ts'
import { listenForMetrics, observersFor } from './observers.ts'
import type { Outside } from './outside.ts'
import { webhooksOn } from './webhooks.ts'

/** A running service. Disposing it stops listening, finishes running work and closes all that it opened. */
export interface Running extends AsyncDisposable {
  readonly database: Database
  readonly runningChanges: RunningChanges
  /** The URL of the API, `http://127.0.0.1:8080`; undefined without that role. */
  readonly http: string | undefined
  /** Before a stop: makes API clients reconnect elsewhere. Resolves once they have, or after a time limit. */
  readonly drainConnections: () => Promise<void>
  readonly smtp: Listening | undefined
  readonly lmtp: Listening | undefined
  readonly policy: Listening | undefined
  readonly submission: Listening | undefined
  readonly submissionTls: Listening | undefined
  readonly imap: Listening | undefined
  readonly imapTls: Listening | undefined
  readonly metrics: Listening | undefined
  readonly domainChecks: DomainChecks
  readonly outbound: OutboundWorker
  /** Sends scheduled messages. */
  readonly rounds: Rounds
  /** Applies filters to stored mail. */
  readonly filterRunner: FilterRunner
  /** The requests that background work waits for. */
  readonly foreground: Foreground
  /** Indexes mail for search. */
  readonly searchIndexer: { processAll(): Promise<void> } & AsyncDisposable
}

/** Assembles the service from top to bottom, each part from parts above it, and starts the configured roles. */
export async function assemble(config: Config, outside: Outside): Promise<Running> {
  await using starting = new AsyncDisposableStack()
  const { database, clock, time, keyring, allowReserved, log, dns = new DnsHealth() } = outside
  const [resolver, quorum] = [dns.watched(outside.resolver), dns.watched(outside.quorum)]
  const { db } = database
  const { hostname, roles, tickSeconds } = config
  await anchorLog(database)
  starting.use(announceEvents(database))

  const observers = starting.use(await observersFor(config, log))
  const { metrics, follow } = observers

  const dkimKey = sealingKey(keyring, dkimKeys)
  const signingKeys: SigningKeys = (organizationId, domain) => signingKeysOf(db, dkimKey, organizationId, domain)
  const mailKey = sealingKey(keyring, mailOut)
  const blind = blinding(keyring)
  const srs = new Srs(keyring)
  const markKey = relayMarkKey(keyring)
  const bounceAddresses = new BounceAddresses(keyring)

  const reader = starting.use(new MessageReader())
  const openPgp = starting.use(new OpenPgp())
  const allowed = outside.picturesFrom && { 'http:': outside.picturesFrom, 'https:': outside.picturesFrom }
  const publicHttp = starting.use(new PublicHttp({ resolver, ...(allowed && { allowed }) }))
  const idKey = idHashKey(keyring)
  const foreground = new Foreground()
  const runningChanges = starting.use(new RunningChanges({ db, foreground, log }))
  const relay = observers.relay(outside.relay)

  // Code that commits mail to the queue emits `queued`. The worker of this process listens; those of others poll.
  const queue = new EventEmitter<{ queued: [] }>()
  const wake = () => void queue.emit('queued')
  const composer = composerWith(signingKeys)
  const dispatch = new Dispatch({ db, idKey, reader, relay, time, composer, mailKey, blind, wake })

  const postmaster = { db, relay, time, signingKeys, mailKey, blind, wake }
  const links = linkMail({ ...postmaster, publicUrl: config.publicUrl })

  const followUps = new FollowUps({ db, relay, time, log, wake, markKey, mailKey, blind })
  const admission = admissionBy(db, hostname, returnPaths({ db, srs, time }))
  const reception = receptionFor({
    ...{ db, idKey, reader, openPgp, followUps, markKey, bounceAddresses, resolver, config, log },
  })

  const local = new LocalMailTransport(reception, admission, clock)
  const copies = starting.use(new PendingCopies({ db, idKey, time, log, reader, mailKey }))
  const lookUps = () => lookUpsFor(resolver, '')
  const outbound = starting.use(
    new OutboundWorker({
      ...{ db, relay, local, copies, time, log, follow, mailKey, signingKeys },
      envelopeSender: (message) => envelopeSenderOf(bounceAddresses, message),
      compose: followUpComposer({ db, time, reader, srs, lookUps, signingKeys, mailKey }),
      ambiguous: config.ambiguous,
      nextRound: (now) => nextRoundAfter(now, tickSeconds * 1_000),
      notify: notifier({ idKey, reader, openPgp, hostname, mailKey }),
    }),
  )
  const rounds = starting.use(new Rounds(outbound))
  const domainChecks = starting.use(
    new DomainChecks({
      ...{ db, resolver: quorum, time, log, follow, hostname },
      sealingKey: dkimKey,
      firstCheckAfter: config.dnsFirstCheckSeconds * 1_000,
    }),
  )

  const webhooks = starting.use(webhooksOn(config, { resolver, keyring }))
  const searchIndexer = starting.use(new SearchIndexer({ db, reader, log }))

  const filterRunner = starting.use(new FilterRunner({ db, foreground, log, embedded: database.embedded }))

  const threads = new ThreadCache({
    changes: (...asked) => folderChanges(db, ...asked),
    key: idKey,
    maxBytes: config.threadCacheBytes,
  })
  const mailboxIndexes = new MailboxIndexes({ folderStates: (mailbox) => folderStates(db, mailbox), threads })
  const names = new ConversationNames({ threads, mailboxIndexes })
  const webhookWorker = new WebhookWorker({ database, ...webhooks, time, names, notice: pausedNotice(postmaster), log })

  const api = roles.has('api')
    ? await startApi(
        config,
        {
          ...{ database, keyring, clock, time, log, allowReserved, webDirectory: outside.webDirectory },
          checkDns: () => dns.check(resolver, hostname),
          ...{ threads, mailboxIndexes, names, runningChanges, foreground, reader, openPgp, publicHttp },
          ...{ dispatch, idKey, linkMail: links, composer, mailKey, webhooks },
        },
        observers,
        starting,
      )
    : undefined
  const inbound = roles.has('mx')
    ? starting.use(await startInbound({ reception, admission, clock, config, log, measured: observers.handler }))
    : undefined
  const { submission, imap } = await startMailPrograms(
    config,
    {
      ...{ database, reader, openPgp, admission, dispatch, signingKeys, idKey, threads, mailboxIndexes },
      ...{ clock, log, keyring, metrics },
    },
    starting,
  )
  const loops: Readonly<Record<string, Loop>> = roles.has('worker')
    ? {
        ...{ outbound, pending_copies: copies, domain_checks: domainChecks, search_index: searchIndexer },
        ...{ changes: runningChanges, filter_runs: filterRunner, webhooks: starting.use(webhookWorker) },
        housekeeping: starting.use(new Housekeeping({ db: database.patient, time, log })),
      }
    : {}
  for (const loop of Object.values(loops)) loop.start()
  if (roles.has('worker')) {
    queue.on('queued', () => outbound.wake())
    rounds.start(tickSeconds * 1_000)
  }
  const metricsAt = metrics && (await listenForMetrics(metrics, config, { ...outside, dns, loops }, starting))

  const started = starting.move()
  return {
    ...{ database, runningChanges, domainChecks, outbound, rounds, searchIndexer, filterRunner, foreground },
    http: api?.http,
    drainConnections: async () => api?.drainConnections(),
    smtp: inbound?.smtp,
    lmtp: inbound?.lmtp,
    policy: inbound?.policy,
    submission: submission?.starttls,
    submissionTls: submission?.tls,
    imap: imap?.starttls,
    imapTls: imap?.tls,
    metrics: metricsAt,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
