import type { Logger } from 'pino'
import type { Database } from '#/db/open.ts'
import type { SharedTime } from '#/db/time.ts'
import type { Keyring } from '#/keyring.ts'
import type { Metrics } from '#/metrics/metrics.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { OpenPgp } from '#/openpgp/openpgp.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Follow } from '#/ports/follow.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { Relay } from '#/ports/relay.ts'
import type { Resolver } from '#/ports/resolver.ts'
import type { Traces } from '#/tracing/open.ts'

/** What a service stands on. */
export interface Parts {
  readonly database: Database
  readonly clock: Clock
  /** The database's time, by which processes agree on what is due. */
  readonly time: SharedTime
  readonly resolver: Resolver
  /** Asked where somebody could win a domain by a forged answer. */
  readonly quorum: Resolver
  readonly relay: Relay
  /** The secrets that this installation's keys are derived from. */
  readonly keyring: Keyring
  /** Whether domains can be enrolled that exist for tests and examples alone. */
  readonly allowReserved: boolean
  readonly log: Logger
  /** How many lines of the log were lost. */
  readonly droppedLines?: (() => number) | undefined
  readonly follow?: Follow | undefined
}

/** What more than one of its doors uses. */
export interface Shared {
  readonly mailHost: MailHost
  readonly reader: MessageReader
  readonly openPgp: OpenPgp
}

/** Who looks on, where somebody asked for it. */
export interface Observed {
  readonly metrics: Metrics | undefined
  readonly traces: Traces | undefined
}
