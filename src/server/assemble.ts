import { EventEmitter } from 'node:events'
import type { Logger } from 'pino'
import { RunningChanges } from '#/changes/running-changes.ts'
import type { Config, Listening } from '#/config/config.ts'
import type { Database } from '#/db/open.ts'
import type { SharedTime } from '#/db/time.ts'
import { DomainChecks } from '#/domains/checks/checks.ts'
import { sealedAs as dkimKeys } from '#/domains/dkim/make-keys.ts'
import { type SigningKeys, signingKeys as signingKeysOf } from '#/domains/dkim/signing-keys.ts'
import { Foreground } from '#/event-loop/foreground.ts'
import { announceEvents } from '#/events/announce.ts'
import { anchorLog } from '#/events/log.ts'
import { FilterRunner } from '#/filters/runs/runner.ts'
import { lookUpsFor } from '#/inbound/authentication/authenticate.ts'
import { receptionFor, startInbound } from '#/inbound/inbound.ts'
import { LocalMailTransport } from '#/inbound/local-delivery.ts'
import { admissionBy } from '#/inbound/recipients/admit.ts'
import { folderChanges } from '#/mail/changes.ts'
import { folderStates } from '#/mail/folders.ts'
import { SearchIndexer } from '#/mail/search/indexer.ts'
import { relayMarkKey } from '#/mime/authentication/relay-mark.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { MessageReader } from '#/mime/reader.ts'
import { OpenPgp } from '#/openpgp/openpgp.ts'
import { composerWith } from '#/outbound/compose/composer.ts'
import { Dispatch } from '#/outbound/dispatch.ts'
import { linkMail } from '#/outbound/link-mail.ts'
import { pausedNotice } from '#/outbound/paused-notice.ts'
import { followUpComposer } from '#/outbound/relaying/compose-follow-up.ts'
import { FollowUps } from '#/outbound/relaying/follow-ups.ts'
import { returnPaths } from '#/outbound/relaying/return-paths.ts'
import { Srs } from '#/outbound/relaying/srs.ts'
import { notifier } from '#/outbound/reports/bounce.ts'
import { PendingCopies } from '#/outbound/worker/pending-copies.ts'
import { nextRoundAfter, Rounds } from '#/outbound/worker/rounds.ts'
import { OutboundWorker } from '#/outbound/worker/worker.ts'
import type { RunningClock } from '#/ports/clock.ts'
import type { Relay } from '#/ports/relay.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { type Allowed, PublicHttp } from '#/public-http/public-http.ts'
import { blinding, sealedAs as mailOut } from '#/queue/sealed.ts'
import type { Keyring } from '#/secrets/keyring.ts'
import { sealingKey } from '#/secrets/seal.ts'
import { BounceAddresses, envelopeSenderOf } from '#/sent/bounce-address.ts'
import { ThreadCache } from '#/threads/cache.ts'
import { MailboxIndexes } from '#/threads/mailbox/mailbox-indexes.ts'
import { ConversationNames } from '#/threads/message-ids.ts'
import { WebhookWorker } from '#/webhooks/worker.ts'
import { startApi } from './api.ts'
import { DnsHealth } from './dns-health.ts'
import { startHousekeeping } from './housekeeping.ts'
import { startMailPrograms } from './mail-programs.ts'
import { listenForMetrics, observersFor } from './observers.ts'
import { webhooksOn } from './webhooks.ts'

/** What a service uses and does not close. */
export interface Outside {
  readonly database: Database
  readonly clock: RunningClock
  /** The database's time, so that all processes agree on what is due. */
  readonly time: SharedTime
  readonly resolver: Resolver
  /** For proofs of ownership: a forged answer could win a domain. */
  readonly quorum: Resolver
  readonly relay: Relay
  /** What is known of the DNS by the lookups of the relay, too. */
  readonly dns?: DnsHealth
  /** The secrets of this installation. */
  readonly keyring: Keyring
  /** Whether domains reserved for tests and examples can be enrolled. */
  readonly allowReserved: boolean
  /** Whether the pictures that a message names may be fetched from an address; by default from public ones. */
  readonly picturesFrom?: Allowed | undefined
  /** Where the web app is built; undefined without one. */
  readonly webDirectory?: string | undefined
  readonly log: Logger
  /** The number of lost log lines. */
  readonly droppedLines?: (() => number) | undefined
}

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
  if (roles.has('worker')) {
    queue.on('queued', () => outbound.wake())
    domainChecks.start()
    outbound.start()
    rounds.start(tickSeconds * 1_000)
    searchIndexer.start()
    starting.use(webhookWorker).start()
    runningChanges.start()
    filterRunner.start()
    starting.use(startHousekeeping({ db, time, log }))
  }
  const metricsAt = metrics && (await listenForMetrics(metrics, config, { ...outside, dns }, starting))

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
