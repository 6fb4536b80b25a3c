import { Resolver as NodeResolver } from 'node:dns/promises'
import { LookupFailed } from '#/errors.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { dnsName } from '#/text.ts'
import { DnsResolver } from './dns.ts'

const MOST_ASKED = 3

/** A resolver for what much hangs on: up to three of the servers are asked apart, and the majority is believed. With a
 *  single server there is nobody to compare it with.
 *  @param servers as `DnsResolver` takes them; the machine's own where empty */
export function askedApart(servers: readonly string[], patience?: number): Resolver {
  const known = servers.length > 0 ? servers : new NodeResolver().getServers()
  const asked = [...new Set(known)].slice(0, MOST_ASKED)
  const options = patience === undefined ? {} : { patience }
  const [only = new DnsResolver(options), ...others] = asked.map((server) => {
    return new DnsResolver({ ...options, servers: [server] })
  })
  return others.length > 0 ? new QuorumResolver([only, ...others]) : only
}

/** Believes what most of several resolvers say, so that none of them can forge an answer alone. Of three, two have to
 *  agree; of two, one may be silent, but neither may contradict the other. Everything else is `LookupFailed`. */
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
