import { Resolver as NodeResolver } from 'node:dns/promises'
import { LookupFailed } from '#/base/errors.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { dnsName } from '#/base/text/text.ts'
import { DnsResolver } from './dns.ts'

/** Name servers that are queried. */
const mostQueried = 3

/** A resolver for proofs of ownership: it queries up to three servers separately, and answers what the majority does.
 *  @param servers as for `DnsResolver`; empty for those of the system */
export function quorumOf(servers: readonly string[], patience?: number): Resolver {
  const known = servers.length > 0 ? servers : new NodeResolver().getServers()
  const asked = [...new Set(known)].slice(0, mostQueried)
  const options = patience === undefined ? {} : { patience }
  const [only = new DnsResolver(options), ...others] = asked.map((server) => {
    return new DnsResolver({ ...options, servers: [server] })
  })
  return others.length > 0 ? new QuorumResolver([only, ...others]) : only
}

/** Answers what the majority of several resolvers say, so that none of them can forge an answer alone. Of three, two must
 *  agree; of two, one may fail, but they must not contradict each other. Otherwise it throws `LookupFailed`. */
export class QuorumResolver implements Resolver {
  readonly #resolvers: readonly Resolver[]

  constructor(resolvers: readonly Resolver[]) {
    this.#resolvers = resolvers
  }

  txt(name: string): Promise<string[]> {
    return this.#ask(name, (resolver) => resolver.txt(name), String)
  }

  mx(name: string): Promise<{ exchange: string; priority: number }[]> {
    const form = ({ exchange, priority }: { exchange: string; priority: number }) => `${priority} ${dnsName(exchange)}`
    return this.#ask(name, (resolver) => resolver.mx(name), form)
  }

  a(name: string): Promise<string[]> {
    return this.#ask(name, (resolver) => resolver.a(name), String)
  }

  aaaa(name: string): Promise<string[]> {
    return this.#ask(name, (resolver) => resolver.aaaa(name), String)
  }

  cname(name: string): Promise<string[]> {
    return this.#ask(name, (resolver) => resolver.cname(name), dnsName)
  }

  ptr(address: string): Promise<string[]> {
    return this.#ask(address, (resolver) => resolver.ptr(address), dnsName)
  }

  async exists(name: string): Promise<boolean> {
    const [answer] = await this.#ask(name, async (resolver) => [await resolver.exists(name)], String)
    return answer === true
  }

  /** Answers as soon as more than half agree; else once all have answered or failed. */
  async #ask<T>(name: string, question: (of: Resolver) => Promise<T[]>, form: (record: T) => string): Promise<T[]> {
    const votes = new Map<string, { answer: T[]; count: number }>()
    const failures: LookupFailed[] = []
    const half = this.#resolvers.length / 2
    const decided = Promise.withResolvers<T[]>()
    const all = this.#resolvers.map(async (resolver) => {
      try {
        const answer = await question(resolver)
        const key = JSON.stringify(answer.map(form).sort())
        const vote = votes.get(key) ?? { answer, count: 0 }
        votes.set(key, vote)
        if (++vote.count > half) decided.resolve(vote.answer)
      } catch (error) {
        if (!(error instanceof LookupFailed)) throw error
        failures.push(error)
      }
    })
    const atLast = Promise.all(all).then(() => {
      const [one, contrary] = votes.values()
      if (one && !contrary && one.count >= half) return one.answer
      const silent = failures.some(({ reason }) => reason === 'timeout') && !contrary
      throw new LookupFailed(name, silent ? 'timeout' : 'servfail', failures[0])
    })
    return await Promise.race([decided.promise, atLast])
  }
}
