import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalid, type Refusal } from '#/errors.ts'
import type { App } from './app-type.ts'
import { BodyRoom, type RoomLimits } from './body-room.ts'
import { jsonFault } from './json-fault.ts'
import { type Pace, readBody } from './read-body.ts'

/** Four of the largest bodies for each key, eight in all. */
const limits: RoomLimits = {
  all: 96 << 20,
  perKey: 48 << 20,
  waiting: 50,
  patience: 30_000,
}
const pace: Pace = { window: 20_000, octets: 320 << 10 }

/** Bodies are JSON in UTF-8 and nothing else, and are read of requests alone that have a key. A key `__proto__` or
 *  `constructor.prototype` is refused, not dropped. */
export function acceptJsonOnly(app: App): void {
  const room = new BodyRoom(limits)
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, raw, done) => {
    if (request.keyId === '') return done(null, undefined)
    const { keyId: key, routeOptions } = request
    readBody({ raw, key, limit: routeOptions.bodyLimit }, room, pace).then((body) => {
      if (body.length > 0) inTurn(body, () => read(request, body, done))
      // Some clients put the content type on every request; where no body is expected none is missed.
      else if (routeOptions.schema?.body === undefined) done(null, undefined)
      else done(invalid('body', 'The body is empty; a JSON object is expected'), undefined)
    }, done)
  })
  // Whoever hangs up while it is worked on does not make room for more.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    room.leave(request.raw)
    done()
  })

  function read(request: FastifyRequest, body: Buffer, done: Done): void {
    if (isUtf8(body)) {
      request.fingerprint = fingerprint(request, body)
      parse(request, body.toString(), (error, value) => (error ? done(unreadable(body.toString())) : done(null, value)))
    } else done(invalid('body', 'The body is not valid UTF-8'))
  }
}

/** What JSON is and our parser refuses is a key of a prototype. */
function unreadable(text: string): Refusal {
  const fault = jsonFault(text)
  if (!fault) return invalid('body', 'The body must not have a key __proto__, nor a constructor with a prototype')
  const { line, column, found, wanted } = fault
  const there = found === undefined ? 'it ends' : `there is ${JSON.stringify(found)}`
  return invalid('body', `The body is not valid JSON: at line ${line}, column ${column} ${there}, and not ${wanted}`)
}

type Done = (error: Error | null, value?: unknown) => void

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
