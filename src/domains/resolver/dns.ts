import { isUtf8 } from 'node:buffer'
import { Resolver as NodeResolver } from 'node:dns/promises'
import { LookupFailed } from '#/base/errors.ts'
import type { Resolver } from '#/base/network/resolver.ts'

export interface DnsOptions {
  /** `address` or `address:port`, IPv6 in brackets before a port; empty for those of the system. */
  readonly servers?: readonly string[]
  /** Milliseconds that one query may take, with all retries and servers. */
  readonly patience?: number
}

/** No such name. An impossible name does not exist either. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'EBADNAME'])
/** The name exists, but not with such records. */
const NO_SUCH_RECORD = 'ENODATA'
/** No server answered. */
const UNANSWERED = new Set(['ETIMEOUT', 'ECONNREFUSED'])
const TRY = 2_000
const TRIES = 2
/** After so many unanswered queries in a row the servers are likely down. Then a query may take a fifth of the time, until
 *  one is answered, so that arriving mail is not held up. */
const SILENCE = 3

/** Queries name servers. */
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

  async exists(name: string): Promise<boolean> {
    return (await this.#answer(name, () => this.#resolver.resolve4(name))) !== undefined
  }

  async #ask<T>(name: string, question: () => Promise<T[]>): Promise<T[]> {
    return (await this.#answer(name, question)) ?? []
  }

  /** The records, if any; undefined if the name does not exist. */
  async #answer<T>(name: string, question: () => Promise<T[]>): Promise<T[] | undefined> {
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
      if (NO_SUCH_NAME.has(code)) return undefined
      if (code === NO_SUCH_RECORD) return []
      throw unanswered ? new LookupFailed(name, 'timeout', error) : new LookupFailed(name, 'servfail', error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** node:dns gives one character for each octet. */
function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text
  const octets = Buffer.from(text, 'latin1')
  return isUtf8(octets) ? octets.toString() : text
}
