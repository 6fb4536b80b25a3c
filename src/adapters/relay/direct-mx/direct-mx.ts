import type { Logger } from 'pino'
import { splitAddress } from '#/mime/address/address.ts'
import type { Clock } from '#/ports/clock.ts'
import type { KeptPolicies, Policy } from '#/ports/mta-sts.ts'
import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { path } from '../address.ts'
import { DeliveryFailure, stopped } from '../delivery-failure.ts'
import { type Limits, patience } from '../limits.ts'
import { deliverBy } from '../smtp-client/deliver.ts'
import { SmtpClient } from '../smtp-client/smtp-client.ts'
import { SmtpClientPool } from '../smtp-client/smtp-client-pool.ts'
import { addressesOf, mailHosts } from './mail-hosts.ts'
import { Policies } from './mta-sts.ts'
import { names } from './mta-sts-policy.ts'

export interface DirectMxOptions {
  readonly resolver: Resolver
  /** Our name, in EHLO and among a domain's mail hosts. */
  readonly name: string
  readonly clock: Clock
  readonly log: Logger
  /** Allows addresses that are not public. */
  readonly allowPrivate: boolean
  readonly limits?: Limits
  readonly port?: number
  /** Concurrent connections to the hosts of one domain. */
  readonly most?: number
  /** Milliseconds that an idle connection is kept. */
  readonly idle?: number
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string
  /** For fetching MTA-STS policies. */
  readonly httpsPort?: number
  /** Stores policies beyond the lifetime of this process. */
  readonly keptPolicies?: KeptPolicies
}

/** Failed hosts and addresses after which an attempt ends. */
const mostFailures = 10

/** Delivers mail to the mail hosts of each recipient's domain. */
export class DirectMxRelay implements Relay {
  readonly #options: DirectMxOptions
  readonly #limits: Limits
  readonly #pool: SmtpClientPool
  readonly #policies: Policies

  constructor(options: DirectMxOptions) {
    const { limits = patience, most = 20, idle = 5_000, resolver, clock, allowPrivate, ca } = options
    this.#options = options
    this.#limits = limits
    this.#pool = new SmtpClientPool({ most, idle, mostIdle: 200, messages: 100 })
    this.#policies = new Policies({
      ...{ resolver, clock, allowPrivate, ca },
      kept: options.keptPolicies,
      port: options.httpsPort,
    })
  }

  /** The domain in canonical form. */
  routeOf(recipient: string): string {
    return path(recipient)?.domain ?? splitAddress(recipient)?.domain.toLowerCase() ?? ''
  }

  deliver(delivery: Delivery, signal: AbortSignal): Promise<readonly Outcome[]> {
    const key = this.routeOf(delivery.recipients.find((recipient) => path(recipient)) ?? '')
    const route = { key, open: (stop: AbortSignal) => this.#open(key, stop) }
    return deliverBy(this.#pool, route, delivery, signal, this.#limits.whole)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#policies[Symbol.dispose]()
    await this.#pool[Symbol.asyncDispose]()
  }

  /** Opens a session with the first host that accepts one. If none does, throws the failure that best allows a retry. */
  async #open(domain: string, signal: AbortSignal): Promise<SmtpClient> {
    const { resolver, name } = this.#options
    const hosts = await mailHosts(resolver, domain, name)
    const policy = await this.#policies.of(domain)
    const failures: DeliveryFailure[] = []
    const note = (error: unknown): undefined => {
      if (!(error instanceof DeliveryFailure)) throw error
      failures.push(error)
    }
    for (const host of hosts) {
      const addresses = (await this.#addresses(domain, host, policy).catch(note)) ?? []
      for (const address of addresses) {
        if (signal.aborted) throw stopped(signal)
        const session = await this.#try(domain, { host, address }, policy, signal).catch(note)
        if (session) return session
        if (failures.length >= mostFailures) throw mostHopeful(failures)
      }
    }
    throw mostHopeful(failures)
  }

  async #addresses(domain: string, host: string, policy: Policy | undefined): Promise<string[]> {
    if (policy?.mode === 'enforce' && !names(policy, host))
      throw new DeliveryFailure('4.7.5', `The policy of ${domain} (MTA-STS) does not name its mail host ${host}`)
    const { resolver, allowPrivate } = this.#options
    return addressesOf(resolver, host, allowPrivate, host === domain)
  }

  /** Connects to the address that was checked: a second lookup could give another one. */
  async #try(
    domain: string,
    at: { readonly host: string; readonly address: string },
    policy: Policy | undefined,
    signal: AbortSignal,
  ): Promise<SmtpClient> {
    const { name, port = 25, ca } = this.#options
    const opening = { name, limits: this.#limits, signal }
    if (policy?.mode === 'enforce') return SmtpClient.open({ ...at, port, ca, tls: 'required' }, opening)
    const session = await SmtpClient.open({ ...at, port, ca, tls: 'offered' }, opening)
    if (policy?.mode === 'testing') this.#test(domain, at.host, policy, session)
    return session
  }

  /** RFC 8461, section 5: a violation of a policy in testing mode is logged, and delivery continues. */
  #test(domain: string, host: string, policy: Policy, { connection }: SmtpClient): void {
    const wrong = !names(policy, host)
      ? 'the host is not named'
      : connection.distrust === undefined
        ? 'no TLS'
        : connection.distrust
    if (wrong !== null)
      this.#options.log.warn({ domain, host, wrong }, 'delivery violates the MTA-STS policy, which is in testing mode')
  }
}

/** The last temporary failure, else the last. */
function mostHopeful(failures: readonly DeliveryFailure[]): DeliveryFailure {
  const found = failures.findLast(({ result }) => result === 'deferred') ?? failures.at(-1)
  return found ?? new DeliveryFailure('4.4.4', 'No mail host could be reached')
}
