import { isUtf8 } from 'node:buffer'
import { Resolver as NodeResolver } from 'node:dns/promises'
import { LookupFailed } from '#/errors.ts'
import type { Resolver } from '#/ports/resolver.ts'

export interface DnsOptions {
  /** `address` or `address:port`, IPv6 in brackets where a port follows; the machine's own resolvers where empty. */
  readonly servers?: readonly string[]
  /** Milliseconds that one question may take, all tries and servers together. */
  readonly patience?: number
}

/** No such name, and no such record at that name. What cannot be a name in the DNS has no records either. */
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])
/** Nobody was there to answer. */
const UNANSWERED = new Set(['ETIMEOUT', 'ECONNREFUSED'])
const TRY = 2_000
const TRIES = 2
/** After so many questions in a row that nobody answered, the servers are likely away: then a fifth of the patience has
 *  to do, until something is answered again. Mail that comes in meanwhile is not held up for long. */
const SILENCE = 3

/** Asks name servers. */
export class DnsResolver implements Resolver {
  readonly #resolver: NodeResolver
  readonly #patience: number
  #unanswered = 0

  constructor({ servers = [], patience = 5_000 }: DnsOptions = {}) {
    this.#patience = patience
    this.#resolver = new NodeResolver({ timeout: Math.min(TRY, patience), tries: TRIES })
    if (servers.length > 0) this.#resolver.setServers(servers)
  }

  async txt(name: string): Promise<string[]> {
    const records = await this.#ask(name, () => this.#resolver.resolveTxt(name))
    return records.map((strings) => decoded(strings.join('')))
  }

  async mx(name: string): Promise<{ exchange: string; priority: number }[]> {
    const records = await this.#ask(name, () => this.#resolver.resolveMx(name))
    return records.map(({ exchange, priority }) => ({ exchange, priority })).sort((a, b) => a.priority - b.priority)
  }

  a(name: string): Promise<string[]> {
    return this.#ask(name, () => this.#resolver.resolve4(name))
  }

  aaaa(name: string): Promise<string[]> {
    return this.#ask(name, () => this.#resolver.resolve6(name))
  }

  cname(name: string): Promise<string[]> {
    return this.#ask(name, () => this.#resolver.resolveCname(name))
  }

  ptr(address: string): Promise<string[]> {
    return this.#ask(address, () => this.#resolver.reverse(address))
  }

  async #ask<T>(name: string, question: () => Promise<T[]>): Promise<T[]> {
    const patience = this.#unanswered < SILENCE ? this.#patience : this.#patience / 5
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new LookupFailed(name, 'timeout')), patience)
    try {
      const records = await Promise.race([question(), late.promise])
      this.#unanswered = 0
      return records
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      const unanswered = error instanceof LookupFailed || UNANSWERED.has(code)
      this.#unanswered = unanswered ? this.#unanswered + 1 : 0
      if (NOT_THERE.has(code)) return []
      throw unanswered ? new LookupFailed(name, 'timeout', error) : new LookupFailed(name, 'servfail', error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Octets come as one character each. */
function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text
  const octets = Buffer.from(text, 'latin1')
  return isUtf8(octets) ? octets.toString() : text
}
