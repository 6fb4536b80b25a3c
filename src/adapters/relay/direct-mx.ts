import type { Logger } from 'pino'
import { splitAddress } from '#/mime/address.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { path } from './address.ts'
import { carry } from './carry.ts'
import { type Limits, patience } from './limits.ts'
import { addressesOf, mailHosts } from './mail-hosts.ts'
import { type KeptPolicies, Policies } from './mta-sts.ts'
import { names, type Policy } from './mta-sts-policy.ts'
import { Session } from './session.ts'
import { SessionPool } from './session-pool.ts'
import { NoTls, stopped, Trouble } from './trouble.ts'

export interface DirectMxOptions {
  readonly resolver: Resolver
  /** The name that we say EHLO with, and by which we know ourselves among a domain's mail hosts. */
  readonly name: string
  readonly clock: Clock
  readonly log: Logger
  /** Also connects to addresses that are not public. */
  readonly allowPrivate: boolean
  readonly limits?: Limits
  readonly port?: number
  /** Connections at a time to the hosts of one domain. */
  readonly most?: number
  /** Milliseconds that a connection is kept without a message. */
  readonly idle?: number
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string
  /** Where MTA-STS policies are fetched from. */
  readonly httpsPort?: number
  /** Where policies outlast this process. */
  readonly keptPolicies?: KeptPolicies
}

/** After so many hosts and addresses that were of no use, the others wait for the next try. */
const mostTroubles = 10

/** Hands mail to the hosts that take it for each recipient's domain. */
export class DirectMxRelay implements Relay {
  readonly #options: DirectMxOptions
  readonly #limits: Limits
  readonly #pool: SessionPool
  readonly #policies: Policies

  constructor(options: DirectMxOptions) {
    const { limits = patience, most = 20, idle = 5_000, resolver, clock, allowPrivate, ca } = options
    this.#options = options
    this.#limits = limits
    this.#pool = new SessionPool({ most, idle, mostIdle: 200, messages: 100 })
    this.#policies = new Policies({
      ...{ resolver, clock, allowPrivate, ca },
      kept: options.keptPolicies,
      port: options.httpsPort,
    })
  }

  /** The domain in its one form. */
  routeOf(recipient: string): string {
    return path(recipient)?.domain ?? splitAddress(recipient)?.domain.toLowerCase() ?? ''
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<readonly Outcome[]> {
    const key = this.routeOf(delivery.recipients.find((recipient) => path(recipient)) ?? '')
    const way = { key, open: (stop: AbortSignal) => this.#open(key, stop) }
    return carry(this.#pool, way, delivery, signal, this.#limits.whole)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]()
  }

  /** A session with the first host that takes us. Where none does, the trouble that leaves most hope. */
  async #open(domain: string, signal: AbortSignal): Promise<Session> {
    const { resolver, name } = this.#options
    const hosts = await mailHosts(resolver, domain, name)
    const policy = await this.#policies.of(domain)
    const troubles: Trouble[] = []
    const note = (error: unknown): undefined => {
      if (!(error instanceof Trouble)) throw error
      troubles.push(error)
    }
    for (const host of hosts) {
      const addresses = (await this.#addresses(domain, host, policy).catch(note)) ?? []
      for (const address of addresses) {
        if (signal.aborted) throw stopped(signal)
        const session = await this.#try(domain, { host, address }, policy, signal).catch(note)
        if (session) return session
        if (troubles.length >= mostTroubles) throw mostHopeful(troubles)
      }
    }
    throw mostHopeful(troubles)
  }

  async #addresses(domain: string, host: string, policy: Policy | undefined): Promise<string[]> {
    if (policy?.mode === 'enforce' && !names(policy, host))
      throw new Trouble('4.7.5', `The policy of ${domain} (MTA-STS) does not name its mail host ${host}`)
    const { resolver, allowPrivate } = this.#options
    return addressesOf(resolver, host, allowPrivate, host === domain)
  }

  /** Connects to the very address that was looked up and checked: another look-up could answer otherwise. */
  async #try(
    domain: string,
    at: { readonly host: string; readonly address: string },
    policy: Policy | undefined,
    signal: AbortSignal,
  ): Promise<Session> {
    const { name, port = 25, ca } = this.#options
    const opening = { name, limits: this.#limits, signal }
    if (policy?.mode === 'enforce') return Session.open({ ...at, port, ca, tls: 'required' }, opening)
    const session = await Session.open({ ...at, port, ca, tls: 'offered' }, opening).catch((error: unknown) => {
      // Nobody asked for TLS, so mail goes in the clear rather than not at all (RFC 7435).
      if (!(error instanceof NoTls) || signal.aborted) throw error
      return Session.open({ ...at, port, tls: 'never' }, opening)
    })
    if (policy?.mode === 'testing') this.#test(domain, at.host, policy, session)
    return session
  }

  /** RFC 8461 5: what would be against a policy that is only tested is told, and goes on. */
  #test(domain: string, host: string, policy: Policy, { wire }: Session): void {
    const wrong = !names(policy, host)
      ? 'the host is not named'
      : wire.distrust === undefined
        ? 'no TLS'
        : wire.distrust
    if (wrong !== null)
      this.#options.log.warn({ domain, host, wrong }, 'against the MTA-STS policy, which is in testing')
  }
}

/** The last that trying again may overcome, else the last. */
function mostHopeful(troubles: readonly Trouble[]): Trouble {
  const found = troubles.findLast(({ result }) => result === 'deferred') ?? troubles.at(-1)
  return found ?? new Trouble('4.4.4', 'There is no way to the mail host')
}
