import { type Logger, pino } from 'pino'
import { SystemClock } from '#/adapters/clock/system.ts'
import { OpenIdConnect } from '#/adapters/identity-provider/openid-connect.ts'
import { Doveadm } from '#/adapters/mail-host/doveadm.ts'
import { ImapMailHost } from '#/adapters/mail-host/imap/index.ts'
import { tryServer } from '#/adapters/mail-host/imap/trial.ts'
import { MailWatcher } from '#/adapters/mail-host/imap/watch/watcher.ts'
import { Mover } from '#/adapters/mail-host/move/mover.ts'
import { DirectMxRelay } from '#/adapters/relay/direct-mx/direct-mx.ts'
import { RefusingRelay } from '#/adapters/relay/refuse-all.ts'
import { SmarthostRelay } from '#/adapters/relay/smarthost.ts'
import { tryRelay as tryToOpen } from '#/adapters/relay/trial.ts'
import { DnsResolver } from '#/adapters/resolver/dns.ts'
import { quorumOf } from '#/adapters/resolver/quorum.ts'
import { ZoneResolver } from '#/adapters/resolver/zone.ts'
import type { Config } from '#/config/config.ts'
import type { Db } from '#/db/schema.ts'
import { SearchIndexer } from '#/mail/search/indexer.ts'
import { sqlMailHost } from '#/mail/sql-mail-host.ts'
import { mailHostNameOf } from '#/mailboxes/mail-host-name.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { MessageReader } from '#/mime/reader.ts'
import { keptPolicies } from '#/outbound/kept-policies.ts'
import type { Clock } from '#/ports/clock.ts'
import type { IdentityProvider } from '#/ports/identity-provider.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { MailMover } from '#/ports/mail-mover.ts'
import type { MailServerControl } from '#/ports/mail-server-control.ts'
import type { TryMailServer } from '#/ports/mail-server-trial.ts'
import type { TryRelay } from '#/ports/relay-trial.ts'
import type { Resolver } from '#/ports/resolver.ts'
import type { Keyring } from '#/secrets/keyring.ts'
import { reservedZones, tryoutDns } from '#/tryout/zone.ts'
import type { Outside } from './assemble.ts'
import { DnsHealth } from './dns-health.ts'

/** The configured mail host. Commands without a server use it too. */
export function mailHostOn(
  { secrets: { imap }, spoolBytes }: Config,
  db: Db,
  keyring: Keyring,
  { reader = new MessageReader(), log = pino({ level: 'silent' }) } = {},
): MailHost & Partial<AsyncDisposable> {
  const key = idHashKey(keyring)
  if (!imap) return sqlMailHost(db, key)
  return new ImapMailHost({ db, server: imap, key, reader, log, mostSpooledBytes: spoolBytes })
}

/** Indexes mail in the database for search; undefined if mail is kept elsewhere. */
export function searchIndexerOn(
  { secrets: { imap } }: Config,
  parts: { db: Db; reader: MessageReader; log: Logger },
): SearchIndexer | undefined {
  return imap ? undefined : new SearchIndexer(parts)
}

/** Logs changes by other programs on the IMAP server; undefined if there is none. */
export function mailWatcherOn({ secrets: { imap } }: Config, parts: { db: Db; log: Logger }): MailWatcher | undefined {
  return imap && new MailWatcher({ ...parts, server: imap })
}

/** Moves mail between the database and the configured IMAP server; undefined if there is none. */
export function moverOn(config: Config, db: Db, keyring: Keyring): (MailMover & AsyncDisposable) | undefined {
  const { imap: server } = config.secrets
  const parts = { db, serverName: mailHostNameOf(config), key: idHashKey(keyring), reader: new MessageReader() }
  return server && new Mover({ ...parts, server })
}

/** Undefined if MAILROOM_IMAP_URL or MAILROOM_DOVEADM_URL is not set. */
export function serverControl({ secrets: { imap, doveadm } }: Config): MailServerControl | undefined {
  return imap && doveadm && new Doveadm(doveadm)
}

/** The provider of single sign-on; undefined without one. */
export function identityProviderOn({ singleSignOn, secrets }: Config, clock: Clock): IdentityProvider | undefined {
  return singleSignOn && new OpenIdConnect(singleSignOn, secrets.clientSecret, clock)
}

/** For the doctor, with connections of its own. */
export const tryMailServer: TryMailServer = tryServer
export const tryRelay: TryRelay = tryToOpen

/** Clock, DNS and relay of a service. In a try-out the resolver itself answers with the records of enrolled domains, and no
 *  mail leaves: nobody could reply to a domain that does not exist. */
export function outside(
  { hostname: name, dnsServers: servers, allowPrivateMx: allowPrivate, mailSource: source, secrets }: Config,
  { tryout, db, log }: { tryout: boolean; db: Db; log: Logger },
): Pick<Outside, 'clock' | 'resolver' | 'quorum' | 'relay' | 'dns'> {
  const published = (resolver: Resolver) =>
    tryout ? tryoutDns(new ZoneResolver({}, { zones: reservedZones, resolver }), db, name) : resolver
  const clock = new SystemClock()
  const resolver = published(new DnsResolver({ servers }))
  const quorum = published(quorumOf(servers))
  const dns = new DnsHealth()
  const relay = () => {
    if (secrets.relay)
      return new SmarthostRelay({ peer: { ...secrets.relay, address: secrets.relay.host }, name, source })
    return tryout
      ? new RefusingRelay()
      : new DirectMxRelay({
          resolver: dns.watched(resolver),
          clock,
          log,
          name,
          allowPrivate,
          source,
          keptPolicies: keptPolicies(db),
        })
  }
  return { clock, resolver, quorum, relay: relay(), dns }
}
