import type { Db } from '#/base/db/schema.ts'
import type { Resolver, Zone, ZoneRecords } from '#/base/network/resolver.ts'
import { dnsName, isInDomain } from '#/base/text/text.ts'
import type { WantedRecord } from '#/domains/dns/records.ts'
import { listedRecords } from '#/domains/domain.ts'
import { allDomains } from '#/domains/queries.ts'

/** Names reserved for tests and examples (RFC 2606, RFC 6761). The try-out answers for them itself, and so works without the
 *  internet. */
export const reservedZones = ['test', 'example', 'invalid', 'localhost', 'example.com', 'example.net', 'example.org']

/**
 * A resolver that publishes the records of enrolled domains under reserved names, read again for each query, and the address of
 * this host under its name. The owners of all other domains must publish records, in the try-out too.
 */
export function tryoutDns(zone: Zone, db: Db, hostname: string): Resolver {
  let published: Iterable<string> = []
  async function publish(): Promise<void> {
    const wanted = (await allDomains(db)).flatMap((domain) => listedRecords(domain, hostname))
    const names = Map.groupBy(
      wanted.filter(({ name }) => isReserved(name)),
      ({ name }) => name,
    )
    for (const name of published) zone.set(name, undefined)
    for (const [name, records] of names) zone.set(name, recordsAt(records))
    zone.set(hostname, { a: ['127.0.0.1'], aaaa: ['::1'] })
    published = names.keys()
  }
  async function asked<T>(name: string, answer: () => Promise<T>): Promise<T> {
    if (isReserved(name) || name === hostname) await publish()
    return await answer()
  }
  return {
    txt: (name) => asked(name, () => zone.txt(name)),
    mx: (name) => asked(name, () => zone.mx(name)),
    a: (name) => asked(name, () => zone.a(name)),
    aaaa: (name) => asked(name, () => zone.aaaa(name)),
    cname: (name) => asked(name, () => zone.cname(name)),
    ptr: (address) => zone.ptr(address),
    exists: (name) => asked(name, () => zone.exists(name)),
  }
}

function isReserved(name: string): boolean {
  return reservedZones.some((zone) => isInDomain(dnsName(name), zone))
}

function recordsAt(records: readonly WantedRecord[]): ZoneRecords {
  const of = (type: WantedRecord['type']) => records.filter((record) => record.type === type)
  const [alias] = of('CNAME')
  return {
    txt: [...new Set(of('TXT').map(({ value }) => value))],
    mx: of('MX')
      .slice(0, 1)
      .map(({ value, priority }) => ({ exchange: value, priority: priority ?? 0 })),
    ...(alias && { cname: alias.value }),
  }
}
