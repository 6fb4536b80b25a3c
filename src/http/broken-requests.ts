import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { invalid, Refusal } from '#/errors.ts'
import type { App } from './app-type.ts'
import { headersTimeout } from './crowd.ts'
import { errorBody } from './error-body.ts'

const idBytes = 12
/** Random bytes for some hundred ids: to fetch them one by one takes 3 % of a short request. */
let chance = randomBytes(0)

export function newRequestId(): string {
  if (chance.length === 0) chance = randomBytes(512 * idBytes)
  const id = chance.toString('base64url', 0, idBytes)
  chance = chance.subarray(idBytes)
  return `req_${id}`
}

/** Options of Fastify under which requests that are no proper HTTP come to us: Node's and Fastify's own answers to them
 *  have neither our error body nor an `X-Request-Id`. */
export const brokenRequests = {
  http: { requireHostHeader: false, headersTimeout },
  clientErrorHandler: answerUnreadable,
  rewriteUrl: ({ url = '/' }: { url?: string | undefined }) => originForm(url),
} as const

/** A server must take `GET http://host/path` for `GET /path` (RFC 9112, section 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/') || url === '*') return url
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/** Node refuses any `Expect` that it does not know, with an empty 417; we may as well not care for it (RFC 9110, section
 *  10.1.1). */
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
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not come in time',
}

/** Node gives the octets read last as a Buffer; Fastify's type of them is what JSON would make of one. */
type Unreadable = Error & { code?: string; rawPacket?: unknown }

/** What the parser gives up on ends the connection: nobody knows where a next request would start. */
function answerUnreadable(error: Unreadable, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const id = newRequestId()
  const refusal = new Refusal('invalid_request', sentences[error.code ?? ''] ?? 'The request is not readable as HTTP')
  const body = JSON.stringify(errorBody(refusal, id))
  const head = [
    'HTTP/1.1 400 Bad Request',
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  // An answer to HEAD has no body, whatever its length says (RFC 9112, section 6.3).
  const asksForHead = Buffer.isBuffer(error.rawPacket) && error.rawPacket.toString('latin1', 0, 5) === 'HEAD '
  const shown = asksForHead ? '' : body
  socket.end(`${head.join('\r\n')}\r\n\r\n${shown}`, () => socket.destroy())
}
