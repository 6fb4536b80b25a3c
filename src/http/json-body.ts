import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalid } from '#/errors.ts'
import type { App } from './app-type.ts'

/** Bodies are JSON in UTF-8 and nothing else. A key `__proto__` or `constructor.prototype` is refused, not dropped. */
export function acceptJsonOnly(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) {
      // Some clients put the content type on every request; where no body is expected none is missed.
      if (request.routeOptions.schema?.body === undefined) return done(null, undefined)
      return done(invalid('body', 'The body is empty; a JSON object is expected'))
    }
    inTurn(body, () => {
      if (!isUtf8(body)) return done(invalid('body', 'The body is not valid UTF-8'))
      request.fingerprint = fingerprint(request, body)
      parse(request, body.toString(), (error, value) =>
        error ? done(invalid('body', `The body is not valid JSON: ${error.message}`)) : done(null, value),
      )
    })
  })
}

/** From so many bytes on bodies take turns. */
const large = 1 << 20

const waiting: (() => void)[] = []

/** Of large bodies, which may end together, one is read in a turn of the event loop: 12 MiB take 30 to 50 ms, with the
 *  checks that follow at once. */
function inTurn(body: Buffer, read: () => void): void {
  if (body.length < large) read()
  else if (waiting.push(read) === 1) setImmediate(readNext)
}

function readNext(): void {
  const read = waiting.shift()
  if (waiting.length > 0) setImmediate(readNext)
  read?.()
}

/** What must be equal for a request to be the same again under one Idempotency-Key. */
function fingerprint(request: FastifyRequest, body: Buffer): Buffer | null {
  if (request.headers['idempotency-key'] === undefined) return null
  return createHash('sha256').update(`${request.method} ${request.url}\n`).update(body).digest()
}
