import { request } from 'node:https'
import QuickLRU from 'quick-lru'
import { LookupFailed } from '#/errors.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { addressesOf } from './mail-hosts.ts'
import { type Policy, parsePolicy, policyId } from './mta-sts-policy.ts'

export interface PoliciesOptions {
  readonly resolver: Resolver
  readonly clock: Clock
  /** Also fetches from addresses that are not public. */
  readonly allowPrivate: boolean
  readonly port?: number | undefined
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string | undefined
}

interface Held {
  readonly id: string | undefined
  readonly policy: Policy | undefined
  /** Milliseconds since the epoch, as all times here. */
  readonly until: number
  /** Until then DNS is not asked for another one. */
  readonly fresh: number
}

const mostHeld = 10_000
const askAgain = 60_000
/** RFC 8461 3.3 asks not to come back sooner after a fetch that failed. */
const fetchAgain = 300_000
const longest = 64 * 1024
const fetchPatience = 10_000

/** The MTA-STS policies of domains (RFC 8461), held in memory for as long as they say. */
export class Policies {
  readonly #options: PoliciesOptions
  readonly #held = new QuickLRU<string, Held>({ maxSize: mostHeld })
  readonly #pending = new Map<string, Promise<Held>>()

  constructor(options: PoliciesOptions) {
    this.#options = options
  }

  /** The policy that holds for mail to the domain; undefined where none does. Never rejects. */
  async of(domain: string): Promise<Policy | undefined> {
    const now = this.#options.clock.now()
    const held = this.#held.get(domain)
    if (held && now < held.fresh) return now < held.until ? held.policy : undefined
    const pending = this.#pending.get(domain) ?? this.#renew(domain, held).finally(() => this.#pending.delete(domain))
    this.#pending.set(domain, pending)
    return (await pending).policy
  }

  /** A policy that is held stays, whatever goes wrong: who can make look-ups or fetches fail must not be able to take
   *  it away (RFC 8461 5.1). */
  async #renew(domain: string, before: Held | undefined): Promise<Held> {
    const { resolver, clock } = this.#options
    const now = clock.now()
    const still = before?.policy && now < before.until ? before : { id: undefined, policy: undefined, until: now }
    const id = policyId(await resolver.txt(`_mta-sts.${domain}`).catch(nothingFound))
    let held: Held = { ...still, fresh: now + askAgain }
    if (id !== undefined && id !== still.id) {
      const policy = await this.#fetch(`mta-sts.${domain}`)
      held = policy
        ? { id, policy, until: now + policy.maxAge * 1000, fresh: now + askAgain }
        : { ...still, fresh: now + fetchAgain }
    }
    this.#held.set(domain, held)
    return held
  }

  async #fetch(host: string): Promise<Policy | undefined> {
    const { resolver, allowPrivate, port = 443, ca } = this.#options
    const [address] = await addressesOf(resolver, host, allowPrivate).catch(() => [])
    if (address === undefined) return undefined
    const text = await fetchText({ host, address, port, ca }).catch(() => undefined)
    return text === undefined ? undefined : parsePolicy(text)
  }
}

function nothingFound(error: unknown): string[] {
  if (error instanceof LookupFailed) return []
  throw error
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
