import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { splitAddress } from '#/formats/mime/address/address.ts'
import type { KeptPolicies, Policy } from '#/out/relay/mta-sts.ts'
import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'
import type { MailSource } from '#/out/relay/servers.ts'
import { path } from '../address.ts'
import { DeliveryFailure, stopped } from '../delivery-failure.ts'
import { type Limits, patience } from '../limits.ts'
import { anySource, from } from '../open-from.ts'
import { deliverBy } from '../smtp-client/deliver.ts'
import { SmtpClient } from '../smtp-client/smtp-client.ts'
import { SmtpClientPool } from '../smtp-client/smtp-client-pool.ts'
import { refusesIpv6 } from './ipv6-refusal.ts'
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
  /** By default the system chooses. */
  readonly source?: MailSource
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

  async deliver(delivery: Delivery, signal: AbortSignal): Promise<readonly Outcome[]> {
    const key = this.routeOf(delivery.recipients.find((recipient) => path(recipient)) ?? '')
    const { family } = this.#options.source ?? anySource
    let overIpv6 = false
    const route = {
      key,
      open: (stop: AbortSignal) => this.#open(key, family, stop),
      onSession: ({ address }: SmtpClient) => {
        overIpv6 = isIPv6(address)
      },
    }
    const outcomes = await deliverBy(this.#pool, route, delivery, signal, this.#limits.whole)
    const refused = family === 'any' && overIpv6 ? outcomes.filter(refusesIpv6) : []
    if (refused.length === 0) return outcomes
    const second = await this.#deliverOverIpv4(key, delivery, refused, signal)
    return outcomes.map((outcome) => second.get(outcome.recipient) ?? outcome)
  }

  /** To the same hosts. No outcomes if none of them can be reached so, ever: the first ones stand. */
  async #deliverOverIpv4(
    domain: string,
    delivery: Delivery,
    refused: readonly Outcome[],
    signal: AbortSignal,
  ): Promise<Map<string, Outcome>> {
    const { log } = this.#options
    log.info({ domain }, 'mail was refused over IPv6, and is tried over IPv4')
    let never = false
    const open = async (stop: AbortSignal) => {
      try {
        return await this.#open(domain, 4, stop)
      } catch (error) {
        never = error instanceof DeliveryFailure && (error.result === 'refused' || hasNoRoute(error))
        throw error
      }
    }
    const route = { key: `${domain} IPv4`, open }
    const again = { ...delivery, recipients: refused.map(({ recipient }) => recipient) }
    const outcomes = await deliverBy(this.#pool, route, again, signal, this.#limits.whole).catch((err: unknown) => {
      // Not thrown: others may have the message already, and would be sent it again.
      log.error({ err, domain }, 'mail could not be tried over IPv4: internal error')
      return refused.map((outcome) => ({
        ...outcome,
        result: 'deferred' as const,
        status: `4${outcome.status.slice(1)}`,
      }))
    })
    return new Map(never ? [] : outcomes.map((outcome) => [outcome.recipient, outcome]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#policies[Symbol.dispose]()
    await this.#pool[Symbol.asyncDispose]()
  }

  /** Opens a session with the first host that accepts one. If none does, throws the failure that best allows a retry. */
  async #open(domain: string, family: MailSource['family'], signal: AbortSignal): Promise<SmtpClient> {
    const { resolver, name } = this.#options
    const hosts = await mailHosts(resolver, domain, name)
    const policy = await this.#policies.of(domain)
    const failures: DeliveryFailure[] = []
    const note = (error: unknown): undefined => {
      if (!(error instanceof DeliveryFailure)) throw error
      failures.push(error)
    }
    for (const host of hosts) {
      const addresses = (await this.#addresses(domain, host, family, policy).catch(note)) ?? []
      for (const address of addresses) {
        if (signal.aborted) throw stopped(signal)
        const session = await this.#try(domain, { host, address }, policy, signal).catch(note)
        if (session) return session
        if (failures.length >= mostFailures) throw mostHopeful(failures)
      }
    }
    throw mostHopeful(failures)
  }

  async #addresses(
    domain: string,
    host: string,
    family: MailSource['family'],
    policy: Policy | undefined,
  ): Promise<string[]> {
    if (policy?.mode === 'enforce' && !names(policy, host))
      throw new DeliveryFailure('4.7.5', `The policy of ${domain} (MTA-STS) does not name its mail host ${host}`)
    const { resolver, allowPrivate } = this.#options
    return addressesOf(resolver, host, { family, allowPrivate, itself: host === domain })
  }

  /** Connects to the address that was checked: a second lookup could give another one. */
  async #try(
    domain: string,
    { host, address }: { readonly host: string; readonly address: string },
    policy: Policy | undefined,
    signal: AbortSignal,
  ): Promise<SmtpClient> {
    const { name, port = 25, ca, source = anySource } = this.#options
    const at = { host, port, ca, ...from(source, address) }
    const opening = { name, limits: this.#limits, signal }
    if (policy?.mode === 'enforce') return SmtpClient.open({ ...at, tls: 'required' }, opening)
    const session = await SmtpClient.open({ ...at, tls: 'offered' }, opening)
    if (policy?.mode === 'testing') this.#test(domain, host, policy, session)
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

/** This machine has no IPv4 at all. */
function hasNoRoute({ cause }: DeliveryFailure): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENETUNREACH'
}

/** The last temporary failure, else the last. */
function mostHopeful(failures: readonly DeliveryFailure[]): DeliveryFailure {
  const found = failures.findLast(({ result }) => result === 'deferred') ?? failures.at(-1)
  return found ?? new DeliveryFailure('4.4.4', 'No mail host could be reached')
}
