import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { takesCoding } from '../answers/accept-encoding.ts'
import type { App } from '../app-type.ts'

/** Serves the OpenAPI document, with compression and revalidation. */
export function serveDescription(app: App, describe: () => object): void {
  let made: Made | undefined
  app.get('/v1/openapi.json', { config: { open: true }, schema: { hide: true } }, ({ headers }, reply) => {
    made ??= make(describe())
    reply.headers({ ETag: made.etag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' })
    if (names(headers['if-none-match'] ?? '', made.etag)) return reply.code(304).send()
    reply.type('application/json; charset=utf-8')
    return takesCoding(headers['accept-encoding'], 'gzip')
      ? reply.header('Content-Encoding', 'gzip').send(made.compressed)
      : reply.send(made.plain)
  })
}

interface Made {
  readonly plain: string
  readonly compressed: Buffer
  /** Weak, since both encodings share it (RFC 9110, section 8.8.1). */
  readonly etag: string
}

function make(description: object): Made {
  const plain = JSON.stringify(description)
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { plain, compressed: gzipSync(plain), etag }
}

/** By weak comparison (RFC 9110, section 13.1.2). */
function names(wanted: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return wanted.trim() === '*' || wanted.split(',').some((one) => opaque(one) === opaque(etag))
}
