import { request } from 'node:https'
import QuickLRU from 'quick-lru'
import { ifLookupFails } from '#/errors.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { addressesOf } from './mail-hosts.ts'
import { type Policy, parsePolicy, policyId } from './mta-sts-policy.ts'
import { Trouble } from './trouble.ts'

/** A policy, and until when it holds, in milliseconds since the epoch. */
export interface HeldPolicy {
  readonly id: string
  readonly policy: Policy
  readonly until: number
}

/** Where policies outlast this process. */
export interface KeptPolicies {
  find(domain: string): Promise<HeldPolicy | undefined>
  keep(domain: string, held: HeldPolicy): Promise<void>
}

export interface PoliciesOptions {
  readonly resolver: Resolver
  readonly clock: Clock
  /** Also fetches from addresses that are not public. */
  readonly allowPrivate: boolean
  /** Nowhere unless told. */
  readonly kept?: KeptPolicies | undefined
  readonly port?: number | undefined
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string | undefined
}

/** What is known of a domain, a policy or that there is none; `fresh` is until when DNS is not asked for another one. */
interface Known {
  readonly held: HeldPolicy | undefined
  readonly fresh: number
}

const mostKnown = 10_000
const askAgain = 60_000
/** RFC 8461 3.3 asks not to come back sooner after a fetch that failed. */
const fetchAgain = 300_000
const longest = 64 * 1024
const fetchPatience = 10_000

/** The MTA-STS policies of domains (RFC 8461), for as long as they say. */
export class Policies {
  readonly #options: PoliciesOptions
  readonly #known = new QuickLRU<string, Known>({ maxSize: mostKnown })
  readonly #pending = new Map<string, Promise<Known>>()

  constructor(options: PoliciesOptions) {
    this.#options = options
  }

  /** The policy that holds for mail to the domain; undefined where none does. Throws `Trouble` where nobody can say
   *  whether one is kept. */
  async of(domain: string): Promise<Policy | undefined> {
    const now = this.#options.clock.now()
    const known = this.#known.get(domain)
    if (known && now < known.fresh) return holding(known.held, now)?.policy
    const pending = this.#pending.get(domain) ?? this.#renew(domain, known).finally(() => this.#pending.delete(domain))
    this.#pending.set(domain, pending)
    return (await pending).held?.policy
  }

  /** A policy that is held stays, whatever goes wrong: who can make look-ups or fetches fail must not be able to take
   *  it away (RFC 8461 5.1). */
  async #renew(domain: string, before: Known | undefined): Promise<Known> {
    const { resolver, clock } = this.#options
    const now = clock.now()
    const still = holding(before ? before.held : await this.#find(domain), now)
    const id = policyId(await resolver.txt(`_mta-sts.${domain}`).catch(ifLookupFails([])))
    const isNew = id !== undefined && id !== still?.id
    const fetched = isNew ? await this.#fetch(domain, id) : undefined
    // Where it cannot be kept, it holds in memory all the same.
    if (fetched) await this.#options.kept?.keep(domain, fetched).catch(() => {})
    const known = { held: fetched ?? still, fresh: now + (isNew && !fetched ? fetchAgain : askAgain) }
    this.#known.set(domain, known)
    return known
  }

  async #find(domain: string): Promise<HeldPolicy | undefined> {
    try {
      return await this.#options.kept?.find(domain)
    } catch (cause) {
      throw new Trouble('4.3.0', `Whether ${domain} has a policy (MTA-STS) could not be looked up`, { cause })
    }
  }

  async #fetch(domain: string, id: string): Promise<HeldPolicy | undefined> {
    const { resolver, clock, allowPrivate, port = 443, ca } = this.#options
    const now = clock.now()
    const host = `mta-sts.${domain}`
    const [address] = await addressesOf(resolver, host, allowPrivate).catch(() => [])
    if (address === undefined) return undefined
    const text = await fetchText({ host, address, port, ca }).catch(() => undefined)
    const read = text === undefined ? undefined : parsePolicy(text)
    return read && { id, policy: { mode: read.mode, mx: read.mx }, until: now + read.maxAge * 1000 }
  }
}

function holding(held: HeldPolicy | undefined, now: number): HeldPolicy | undefined {
  return held && now < held.until ? held : undefined
}

/** RFC 8461 3.3: from the host itself, whose certificate is verified, following no redirect. */
function fetchText(from: { host: string; address: string; port: number; ca: string | undefined }): Promise<string> {
  const { host, address, port, ca } = from
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const asked = request({
    host: address,
    port,
    servername: host,
    path: '/.well-known/mta-sts.txt',
    headers: { Host: host },
    agent: false,
    ...(ca !== undefined && { ca }),
  })
  const timer = setTimeout(() => asked.destroy(new Error('too late')), fetchPatience)
  asked.on('error', reject)
  asked.on('close', () => {
    clearTimeout(timer)
    reject(new Error('cut short'))
  })
  asked.on('response', (response) => {
    const plain = /^text\/plain *(;|$)/i.test(response.headers['content-type'] ?? '')
    if (response.statusCode !== 200 || !plain) return void asked.destroy(new Error('no policy'))
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (piece: string) => {
      text += piece
      if (text.length > longest) asked.destroy(new Error('too long'))
    })
    response.on('end', () => resolve(text))
    response.on('error', reject)
  })
  asked.end()
  return promise
}
