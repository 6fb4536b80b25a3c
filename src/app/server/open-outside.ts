import type { Logger } from 'pino'
import type { Config } from '#/app/config/config.ts'
import { reservedZones, tryoutDns } from '#/app/tryout/zone.ts'
import type { Clock } from '#/base/clock/clock.ts'
import { SystemClock } from '#/base/clock/system.ts'
import type { Db } from '#/base/db/schema.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { DnsResolver } from '#/domains/resolver/dns.ts'
import { quorumOf } from '#/domains/resolver/quorum.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { keptPolicies } from '#/out/delivery/kept-policies.ts'
import { DirectMxRelay } from '#/out/relay/direct-mx/direct-mx.ts'
import { RefusingRelay } from '#/out/relay/refuse-all.ts'
import type { TryRelay } from '#/out/relay/relay-trial.ts'
import { SmarthostRelay } from '#/out/relay/smarthost.ts'
import { tryRelay as tryToOpen } from '#/out/relay/trial.ts'
import type { IdentityProvider } from '#/people/identity-provider/identity-provider.ts'
import { OpenIdConnect } from '#/people/identity-provider/openid-connect.ts'
import { DnsHealth } from './dns-health.ts'
import type { Outside } from './outside.ts'

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
