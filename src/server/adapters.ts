import type { Logger } from 'pino'
import { SystemClock } from '#/adapters/clock/system.ts'
import { OpenIdConnect } from '#/adapters/identity-provider/openid-connect.ts'
import { DirectMxRelay } from '#/adapters/relay/direct-mx/direct-mx.ts'
import { RefusingRelay } from '#/adapters/relay/refuse-all.ts'
import { SmarthostRelay } from '#/adapters/relay/smarthost.ts'
import { tryRelay as tryToOpen } from '#/adapters/relay/trial.ts'
import { DnsResolver } from '#/adapters/resolver/dns.ts'
import { quorumOf } from '#/adapters/resolver/quorum.ts'
import { ZoneResolver } from '#/adapters/resolver/zone.ts'
import type { Config } from '#/config/config.ts'
import type { Db } from '#/db/schema.ts'
import { keptPolicies } from '#/outbound/kept-policies.ts'
import type { Clock } from '#/ports/clock.ts'
import type { IdentityProvider } from '#/ports/identity-provider.ts'
import type { TryRelay } from '#/ports/relay-trial.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { reservedZones, tryoutDns } from '#/tryout/zone.ts'
import type { Outside } from './assemble.ts'
import { DnsHealth } from './dns-health.ts'

/** The provider of single sign-on; undefined without one. */
export function identityProviderOn({ singleSignOn, secrets }: Config, clock: Clock): IdentityProvider | undefined {
  return singleSignOn && new OpenIdConnect(singleSignOn, secrets.clientSecret, clock)
}

/** For the doctor, with connections of its own. */
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
