import QuickLRU from 'quick-lru'
import type { Clock } from '#/base/clock/clock.ts'
import { ifLookupFails } from '#/base/errors.ts'
import { isPublic } from '#/base/network/ip-address.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { PublicHttp } from '#/http/public-http/public-http.ts'
import type { HeldPolicy, KeptPolicies, Policy } from '#/out/relay/mta-sts.ts'
import { DeliveryFailure } from '../delivery-failure.ts'
import { parsePolicy, policyId } from './mta-sts-policy.ts'

export interface PoliciesOptions {
  readonly resolver: Resolver
  readonly clock: Clock
  /** Also fetches from addresses that are not public. */
  readonly allowPrivate: boolean
  readonly kept?: KeptPolicies | undefined
  readonly port?: number | undefined
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string | undefined
}

/** A domain's policy, if it has one; DNS is not queried again before `fresh`. */
interface Known {
  readonly held: HeldPolicy | undefined
  readonly fresh: number
}

const mostKnown = 10_000
const askAgain = 60_000
/** RFC 8461, section 3.3: the minimum after a failed fetch. */
const fetchAgain = 300_000
const longest = 64 * 1024
const fetchPatience = 10_000

/** Caches the MTA-STS policies of domains (RFC 8461). */
export class Policies implements Disposable {
  readonly #options: PoliciesOptions
  readonly #http: PublicHttp
  readonly #known = new QuickLRU<string, Known>({ maxSize: mostKnown })
  readonly #pending = new Map<string, Promise<Known>>()

  constructor(options: PoliciesOptions) {
    this.#options = options
    const { resolver, allowPrivate, ca } = options
    this.#http = new PublicHttp({ resolver, ca, allowed: { 'https:': (address) => allowPrivate || isPublic(address) } })
  }

  /** The domain's policy, if it has one. Throws `DeliveryFailure` if the stored policies cannot be read. */
  async of(domain: string): Promise<Policy | undefined> {
    const now = this.#options.clock.now()
    const known = this.#known.get(domain)
    if (known && now < known.fresh) return holding(known.held, now)?.policy
    const pending = this.#pending.get(domain) ?? this.#renew(domain, known).finally(() => this.#pending.delete(domain))
    this.#pending.set(domain, pending)
    return (await pending).held?.policy
  }

  /** A cached policy survives failed lookups and fetches, which an attacker could cause (RFC 8461, section 5.1). */
  async #renew(domain: string, before: Known | undefined): Promise<Known> {
    const { resolver, clock } = this.#options
    const now = clock.now()
    const still = holding(before ? before.held : await this.#find(domain), now)
    const id = policyId(await resolver.txt(`_mta-sts.${domain}`).catch(ifLookupFails([])))
    const isNew = id !== undefined && id !== still?.id
    const fetched = isNew ? await this.#fetch(domain, id) : undefined
    // If it cannot be stored, it is still valid in memory.
    if (fetched) await this.#options.kept?.keep(domain, fetched).catch(() => {})
    const known = { held: fetched ?? still, fresh: now + (isNew && !fetched ? fetchAgain : askAgain) }
    this.#known.set(domain, known)
    return known
  }

  async #find(domain: string): Promise<HeldPolicy | undefined> {
    try {
      return await this.#options.kept?.find(domain)
    } catch (cause) {
      throw new DeliveryFailure('4.3.0', `Whether ${domain} has a policy (MTA-STS) could not be looked up`, { cause })
    }
  }

  /** The certificate is verified, and redirects are not followed (RFC 8461, section 3.3). */
  async #fetch(domain: string, id: string): Promise<HeldPolicy | undefined> {
    const { clock, port = 443 } = this.#options
    const now = clock.now()
    const host = `mta-sts.${domain}`
    const url = URL.parse(`https://${host}:${port}/.well-known/mta-sts.txt`)
    const question = { method: 'GET', headers: { Host: host }, mostBytes: longest, timeoutMs: fetchPatience } as const
    const answer = url && (await this.#http.send(url, question).catch(() => undefined))
    const isPlain = /^text\/plain *(;|$)/i.test(answer?.headers['content-type'] ?? '')
    if (answer?.status !== 200 || !isPlain || answer.cut) return undefined
    const read = parsePolicy(answer.body.toString())
    return read && { id, policy: { mode: read.mode, mx: read.mx }, until: now + read.maxAge * 1000 }
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]()
  }
}

function holding(held: HeldPolicy | undefined, now: number): HeldPolicy | undefined {
  return held && now < held.until ? held : undefined
}
