import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublic } from '#/base/network/ip-address.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { HttpFailed, httpFailure } from './failure.ts'
import { keepAtMost } from './kept.ts'

/** Whether a connection to an address is allowed. */
export type Allowed = (address: string) => boolean

export interface PublicHttpOptions {
  readonly resolver: Resolver
  /** By the scheme of the URL; other schemes are refused. By default both, at public addresses. */
  readonly allowed?: Readonly<Partial<Record<'http:' | 'https:', Allowed>>>
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string | undefined
}

export interface HttpQuestion {
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Octets of the response's body that are read. */
  readonly mostBytes: number
  /** Milliseconds from the lookup of the name to the end of the response. */
  readonly timeoutMs: number
  /** The time from which they count instead, of `performance.now()`: that of several requests together. */
  readonly since?: number
  readonly signal?: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The body continues after the octets read. */
  readonly cut: boolean
}

/** How long an idle connection is kept, in milliseconds, and how many are, by scheme. */
const idleMs = 5_000
const mostKept = 500

/** Requests to servers that others name. A URL may lead into our own network, and its name may have another address at each
 *  lookup, so each connection is made to a checked address. Redirects are not followed. Connections are reused for a while.
 *  A request on a connection that has just been closed is sent again, and may so be sent twice. */
export class PublicHttp implements Disposable {
  readonly #resolver: Resolver
  readonly #allowed: NonNullable<PublicHttpOptions['allowed']>
  readonly #agents: Readonly<Record<'http:' | 'https:', Agent>>

  constructor({ resolver, allowed = { 'http:': isPublic, 'https:': isPublic }, ca }: PublicHttpOptions) {
    this.#resolver = resolver
    this.#allowed = allowed
    const kept = { keepAlive: true, timeout: idleMs }
    this.#agents = { 'http:': new Agent(kept), 'https:': new TlsAgent({ ...kept, ...(ca !== undefined && { ca }) }) }
    for (const agent of Object.values(this.#agents)) keepAtMost(agent, mostKept)
  }

  /** Answers with any status. @throws HttpFailed without a response */
  async send(url: URL, question: HttpQuestion): Promise<HttpAnswer> {
    const { protocol, hostname } = url
    const allowed = isHttp(protocol) ? this.#allowed[protocol] : undefined
    if (!isHttp(protocol) || !allowed) throw new HttpFailed(`${protocol.replace(':', '')} is not allowed`)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    // A literal address is not looked up.
    if (isIP(host) && !allowed(host)) throw new HttpFailed(notAllowed)
    const open = () => {
      const { method, headers } = question
      const lookup = this.#lookUp(allowed)
      const where = {
        host,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        lookup,
        agent: this.#agents[protocol],
      }
      return (protocol === 'https:' ? requestTls : requestPlain)({ ...where, method, headers: { ...headers } })
    }
    const { signal, timeoutMs, since = performance.now() } = question
    let asked: ClientRequest | undefined
    let ended: HttpFailed | undefined
    const end = (why: string) => {
      ended ??= new HttpFailed(why)
      asked?.destroy(ended)
    }
    // Not `AbortSignal.timeout`, whose timer stays: thousands of fast responses would leave as many.
    const timer = setTimeout(
      end,
      since + timeoutMs - performance.now(),
      `No whole answer within ${timeoutMs / 1_000} s`,
    )
    const stop = () => end('The service stopped')
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    try {
      while (!ended) {
        asked = open()
        const answer = await exchange(asked, question)
        if (answer) return answer
      }
      throw ended
    } catch (error) {
      throw ended ?? httpFailure(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  /** The allowed addresses of a name. */
  #lookUp(allowed: Allowed): LookupFunction {
    const found = async (name: string) => {
      const families = await Promise.allSettled([this.#resolver.aaaa(name), this.#resolver.a(name)])
      const addresses = families
        .flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
        .filter((address) => isIP(address))
      if (addresses.length === 0) {
        const failed = families.some(({ status }) => status === 'rejected')
        throw new HttpFailed(failed ? `Looking up ${name} in the DNS failed` : `The name ${name} has no address`)
      }
      const fit = addresses.filter(allowed).map((address) => ({ address, family: isIP(address) }))
      if (fit.length === 0) throw new HttpFailed(notAllowed)
      return fit
    }
    return (name, { all }, callback) => {
      found(name).then(
        (fit) => (all ? callback(null, fit) : callback(null, fit[0]?.address ?? '', fit[0]?.family)),
        (error) => callback(error, []),
      )
    }
  }

  [Symbol.dispose](): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }
}

const notAllowed = 'The address is not allowed'

function isHttp(protocol: string): protocol is 'http:' | 'https:' {
  return protocol === 'http:' || protocol === 'https:'
}

/** Undefined if a reused connection had been closed before the request arrived. */
function exchange(asked: ClientRequest, { body, mostBytes }: HttpQuestion): Promise<HttpAnswer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer | undefined>()
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(undefined)
    else reject(error)
  })
  asked.on('response', (answer) => void readAnswer(answer, mostBytes).then(resolve, reject))
  asked.end(body)
  return promise
}

async function readAnswer(answer: IncomingMessage, mostBytes: number): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = answer
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of answer) {
    pieces.push(piece)
    bytes += piece.length
    // Leaving the loop closes the connection: the rest may be of any size.
    if (bytes > mostBytes) break
  }
  return { status, headers, body: Buffer.concat(pieces).subarray(0, mostBytes), cut: bytes > mostBytes }
}
