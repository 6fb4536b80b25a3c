import { LookupFailed } from '#/base/errors.ts'
import { longestAliasChain, type Resolver, type Zone, type ZoneRecords } from '#/base/network/resolver.ts'
import { dnsName, isInDomain } from '#/base/text/text.ts'

type RecordType = Exclude<keyof ZoneRecords, 'fails' | 'cname'>

/** Most octets of a DNS message, over TCP too (RFC 1035, section 4.2.2). */
const LARGEST_ANSWER = 65_535

/** Answers from a map of names, which may change meanwhile: for the try-out and for tests. */
export class ZoneResolver implements Zone {
  readonly #zone = new Map<string, ZoneRecords>()
  readonly #beyond: { zones: readonly string[]; resolver: Resolver } | undefined

  /** `beyond.resolver` answers for names outside of `beyond.zones`. Without it they do not exist. */
  constructor(
    zone: Readonly<Record<string, ZoneRecords>> = {},
    beyond?: { zones: readonly string[]; resolver: Resolver },
  ) {
    this.#beyond = beyond
    for (const [name, records] of Object.entries(zone)) this.set(name, records)
  }

  /** Replaces the records at a name; undefined removes them. */
  set(name: string, records: ZoneRecords | undefined): void {
    if (records) this.#zone.set(dnsName(name), records)
    else this.#zone.delete(dnsName(name))
  }

  async txt(name: string): Promise<string[]> {
    return this.#elsewhere(name)?.txt(name) ?? this.#find(name, 'txt')
  }

  async mx(name: string): Promise<{ exchange: string; priority: number }[]> {
    const elsewhere = this.#elsewhere(name)
    if (elsewhere) return elsewhere.mx(name)
    return this.#find(name, 'mx').sort((a, b) => a.priority - b.priority)
  }

  async a(name: string): Promise<string[]> {
    return this.#elsewhere(name)?.a(name) ?? this.#find(name, 'a')
  }

  async aaaa(name: string): Promise<string[]> {
    return this.#elsewhere(name)?.aaaa(name) ?? this.#find(name, 'aaaa')
  }

  async cname(name: string): Promise<string[]> {
    const elsewhere = this.#elsewhere(name)
    if (elsewhere) return elsewhere.cname(name)
    const { cname } = this.#at(name)
    return cname === undefined ? [] : [cname]
  }

  async ptr(address: string): Promise<string[]> {
    if (this.#beyond && !this.#zone.has(dnsName(address))) return this.#beyond.resolver.ptr(address)
    return this.#find(address, 'ptr')
  }

  async exists(name: string): Promise<boolean> {
    const elsewhere = this.#elsewhere(name)
    if (elsewhere) return elsewhere.exists(name)
    const end = dnsName(this.#resolved(name).name)
    return [...this.#zone.keys()].some((one) => isInDomain(one, end))
  }

  #find<T extends RecordType>(name: string, type: T): NonNullable<ZoneRecords[T]>[number][] {
    const { records } = this.#resolved(name)
    const found = [...(records[type] ?? [])] as NonNullable<ZoneRecords[T]>[number][]
    if (found.reduce((sum, one) => sum + sizeOf(one), 0) > LARGEST_ANSWER) throw new LookupFailed(name, 'servfail')
    return found
  }

  /** The name at the end of its aliases, and the records there. */
  #resolved(name: string): { name: string; records: ZoneRecords } {
    let end = { name, records: this.#at(name) }
    for (let aliases = 0; end.records.cname !== undefined && aliases < longestAliasChain; aliases++) {
      end = { name: end.records.cname, records: this.#at(end.records.cname) }
    }
    if (end.records.cname !== undefined) throw new LookupFailed(name, 'servfail')
    return end
  }

  #at(name: string): ZoneRecords {
    const records = this.#zone.get(dnsName(name)) ?? {}
    if (records.fails) throw new LookupFailed(name, records.fails)
    return records
  }

  #elsewhere(name: string): Resolver | undefined {
    if (!this.#beyond || this.#zone.has(dnsName(name))) return undefined
    const here = this.#beyond.zones.some((zone) => isInDomain(dnsName(name), dnsName(zone)))
    return here ? undefined : this.#beyond.resolver
  }
}

/** About the size of a record in an answer whose name is compressed (RFC 1035, section 4.1.4). */
function sizeOf(record: string | { readonly exchange: string }): number {
  return 12 + (typeof record === 'string' ? record.length : record.exchange.length)
}
