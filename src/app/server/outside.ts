import type { Logger } from 'pino'
import type { RunningClock } from '#/base/clock/clock.ts'
import type { Database } from '#/base/db/open.ts'
import type { SharedTime } from '#/base/db/time.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import type { Keyring } from '#/base/secrets/keyring.ts'
import type { Allowed } from '#/http/public-http/public-http.ts'
import type { Relay } from '#/out/relay/relay.ts'
import type { DnsHealth } from './dns-health.ts'

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
