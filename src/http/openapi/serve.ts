import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import { takesCoding } from '../answers/accept-encoding.ts'
import type { App } from '../app-type.ts'

/** Serves the OpenAPI document, with compression and revalidation. */
export function serveDescription(app: App, describe: () => object, publicUrl: string | undefined): void {
  let described: string | undefined
  /** By their servers. */
  const made = new Map<string, Made>()
  app.get('/v1/openapi.json', { config: { open: true }, schema: { hide: true } }, ({ headers }, reply) => {
    described ??= JSON.stringify(describe()).slice(1)
    const servers = JSON.stringify(serversFor(headers, publicUrl))
    const one = made.get(servers) ?? make(`{"servers":${servers},${described}`)
    if (made.size < mostMade) made.set(servers, one)
    reply.headers({ ETag: one.etag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' })
    if (names(headers['if-none-match'] ?? '', one.etag)) return reply.code(304).send()
    reply.type('application/json; charset=utf-8')
    // What is not kept is not compressed: that takes long, and anybody can send any Host.
    if (!made.has(servers)) return reply.send(one.plain)
    one.shared ??= Buffer.from(one.plain)
    if (!takesCoding(headers['accept-encoding'], 'gzip')) return reply.send(one.shared)
    one.compressed ??= gzipSync(one.shared)
    return reply.header('Content-Encoding', 'gzip').send(one.compressed)
  })
}

/** As many names as a service has by any chance. */
const mostMade = 16

/** What says in a description that the service has no public URL of its own. */
export const namedByRequest = 'Where this description came from'

/** Absolute, since a generated client knows only the document. Clients use the first. The reference page, which may be opened under
 *  another name, uses that where it came from. */
function serversFor(headers: IncomingHttpHeaders, publicUrl: string | undefined) {
  const origin = originIn(headers)
  const here = { url: origin ?? '/', description: namedByRequest }
  if (publicUrl === undefined) return [here]
  return origin === publicUrl ? [{ url: publicUrl }] : [{ url: publicUrl }, here]
}

/** The scheme is that of the reverse proxy, if it says so: the service itself has no TLS. */
function originIn(headers: IncomingHttpHeaders): string | undefined {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const url = URL.parse(`${scheme}://${headers.host ?? ''}`)
  return url?.pathname === '/' && url.host !== '' ? url.origin : undefined
}

interface Made {
  readonly plain: string
  /** The same in octets, which all answers share however slowly they are read. */
  shared?: Buffer
  /** Weak, since both encodings share it (RFC 9110, section 8.8.1). */
  readonly etag: string
  compressed?: Buffer
}

function make(plain: string): Made {
  return { plain, etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"` }
}

/** By weak comparison (RFC 9110, section 13.1.2). */
function names(wanted: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return wanted.trim() === '*' || wanted.split(',').some((one) => opaque(one) === opaque(etag))
}
