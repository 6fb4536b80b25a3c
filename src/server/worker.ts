import type { Config } from '#/config/config.ts'
import { DomainChecks } from '#/domains/checks.ts'
import { sealedAs as dkimKeys } from '#/domains/dkim.ts'
import { type SigningKeys, signingKeys } from '#/domains/signing-keys.ts'
import { lookUpsFor } from '#/inbound/authenticate.ts'
import type { OwnDoor } from '#/inbound/own.ts'
import { relayMarkKey } from '#/mime/relay-mark.ts'
import { notifier } from '#/outbound/bounce.ts'
import { FollowUps } from '#/outbound/follow-ups.ts'
import { OwedCopies } from '#/outbound/owed-copies.ts'
import { nextRoundAfter, Rounds } from '#/outbound/rounds.ts'
import { Srs } from '#/outbound/srs.ts'
import { OutboundWorker } from '#/outbound/worker.ts'
import { type SealingKey, sealingKey } from '#/seal.ts'
import { blinding, sealedAs as mailOutKey } from '#/sending/sealed.ts'
import type { Parts, Shared } from './parts.ts'

/** Where what leaves goes: own mailboxes through our own door, and copies into Sent. */
export interface Ways {
  readonly local: OwnDoor
  readonly copies: OwedCopies
}

export function mailOut(config: Config, parts: Parts, shared: Shared, { local, copies }: Ways): OutboundWorker {
  const { database, relay, time, log, follow } = parts
  const { hostname } = config
  const mailKey = mailKeyFor(parts)
  return new OutboundWorker({
    ...{ db: database.db, relay, local, copies, time, log, follow, mailKey },
    ambiguous: config.ambiguous,
    nextRound: nextRound(config),
    notify: notifier({ ...shared, hostname, mailKey }),
  })
}

export function followUpsFor(parts: Parts, wake: () => void): FollowUps {
  const { database, relay, time, resolver, keyring, log } = parts
  return new FollowUps({
    ...{ db: database.db, relay, time, log, wake },
    srs: new Srs(keyring),
    markKey: relayMarkKey(keyring),
    lookUps: () => lookUpsFor(resolver, ''),
    signingKeys: signingKeysFor(parts),
    mailKey: mailKeyFor(parts),
    blind: blinding(keyring),
  })
}

export function copiesFor(parts: Parts, { mailHost, reader }: Shared): OwedCopies {
  const { database, time, log } = parts
  return new OwedCopies({ db: database.db, time, log, mailHost, reader, mailKey: mailKeyFor(parts) })
}

interface Next {
  readonly outbound: OutboundWorker
  readonly copies: OwedCopies
}

export function roundsFor(config: Config, parts: Parts, { outbound, copies }: Next): Rounds {
  const { database, relay, time, log, follow } = parts
  return new Rounds({
    ...{ db: database.db, relay, time, log, follow, outbound, copies },
    signingKeys: signingKeysFor(parts),
    mailKey: mailKeyFor(parts),
    nextRound: nextRound(config),
  })
}

function nextRound({ tickSeconds }: Config): (now: Date) => Date {
  return (now) => nextRoundAfter(now, tickSeconds * 1_000)
}

/** Seals and opens mail that waits to leave. */
export function mailKeyFor({ keyring }: Parts): SealingKey {
  return sealingKey(keyring, mailOutKey)
}

export function signingKeysFor({ database: { db }, keyring }: Parts): SigningKeys {
  const key = sealingKey(keyring, dkimKeys)
  return (organizationId, domain) => signingKeys(db, key, organizationId, domain)
}

export function checksOfDomains(
  config: Config,
  { database: { db }, quorum, time, keyring, log, follow }: Parts,
): DomainChecks {
  return new DomainChecks({
    ...{ db, resolver: quorum, time, log, follow },
    sealingKey: sealingKey(keyring, dkimKeys),
    hostname: config.hostname,
    firstCheckAfter: config.dnsFirstCheckSeconds * 1_000,
  })
}
