import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { invalid, Refusal } from '#/base/errors.ts'
import { errorBody } from '../answers/error-body.ts'
import type { App } from '../app-type.ts'
import { headersTimeout } from './connection-limits.ts'

const idBytes = 12
/** A buffer of random bytes: fetching them for each id takes 3 % of a short request. */
let random = randomBytes(0)

export function newRequestId(): string {
  if (random.length === 0) random = randomBytes(512 * idBytes)
  const id = random.toString('base64url', 0, idBytes)
  random = random.subarray(idBytes)
  return `req_${id}`
}

/** Fastify options that pass malformed requests to us: the answers of Node and Fastify have neither our error body nor an
 *  `X-Request-Id`. */
export const malformedRequests = {
  http: { requireHostHeader: false, headersTimeout },
  clientErrorHandler: answerUnreadable,
  rewriteUrl: ({ url = '/' }: { url?: string | undefined }) => originForm(url),
} as const

/** RFC 9112, section 3.2.2: a server must accept the absolute form, `GET http://host/path`. */
function originForm(url: string): string {
  if (url.startsWith('/') || url === '*') return url
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/** Ignores unknown `Expect` values (RFC 9110, section 10.1.1), which Node answers with an empty 417. */
export function overlookExpectations({ server }: App): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** RFC 9112, section 3.2: exactly one Host, or 400; HTTP/1.0 may do without. */
export function assertOneHost({ raw }: FastifyRequest): void {
  const count = raw.headersDistinct.host?.length ?? 0
  if (count !== 1 && !(count === 0 && raw.httpVersion === '1.0')) {
    throw invalid('Host', 'A request must have one Host header')
  }
}

const sentences: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The URL or the headers are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request timed out',
}

/** Node sets `rawPacket` to a Buffer; Fastify types it otherwise. */
type Unreadable = Error & { code?: string; rawPacket?: unknown }

/** Answers and closes the connection: the start of a next request is unknown. */
function answerUnreadable(error: Unreadable, socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const id = newRequestId()
  const refusal = new Refusal('invalid_request', sentences[error.code ?? ''] ?? 'The request is not valid HTTP')
  const body = JSON.stringify(errorBody(refusal, id))
  const head = [
    'HTTP/1.1 400 Bad Request',
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  // RFC 9112, section 6.3: an answer to HEAD has no body.
  const asksForHead = Buffer.isBuffer(error.rawPacket) && error.rawPacket.toString('latin1', 0, 5) === 'HEAD '
  const shown = asksForHead ? '' : body
  socket.end(`${head.join('\r\n')}\r\n\r\n${shown}`, () => socket.destroy())
}
