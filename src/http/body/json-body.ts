import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalid, type Refusal } from '#/base/errors.ts'
import type { Budget } from '#/base/event-loop/fair-share.ts'
import type { App } from '../app-type.ts'
import { holderOf } from '../rate/budgets.ts'
import { BodyMemory } from './body-memory.ts'
import { duplicateName } from './duplicate-names.ts'
import { findJsonSyntaxError } from './json-syntax.ts'
import { type Pace, readBody } from './read-body.ts'

/** Eight of the largest bodies, of which one organization has four. */
const budget: Budget = { all: 96 << 20, waiting: 100, patience: 30_000 }
const pace: Pace = { window: 20_000, octets: 320 << 10 }

/** The largest body before authentication. It does not count in that memory. */
const largestSignIn = 16 << 10

/** Accepts JSON in UTF-8 only, from authenticated requests and to sign in only. Members named `__proto__` or `constructor.prototype`, and names
 *  that an object has twice, are refused. */
export function acceptJsonOnly(app: App): void {
  const room = new BodyMemory(budget)
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, raw, done) => {
    const { routeOptions } = request
    const unknown = request.actorId === ''
    if (unknown && routeOptions.config.access !== 'sign-in') return done(null, undefined)
    readBody(
      { raw, holder: holderOf(request), limit: unknown ? largestSignIn : routeOptions.bodyLimit },
      room,
      pace,
    ).then((body) => {
      if (body.length > 0) whenIdle(body, () => read(request, body, done))
      // Some clients send the content type with every request.
      else if (routeOptions.schema?.body === undefined) done(null, undefined)
      else done(invalid('body', 'The body is empty; a JSON object is expected'), undefined)
    }, done)
  })
  // Memory is freed with the answer: a disconnect during processing does not free it earlier.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    room.release(request.raw)
    done()
  })

  function read(request: FastifyRequest, body: Buffer, done: Done): void {
    if (isUtf8(body)) {
      request.fingerprint = fingerprint(request, body)
      const text = body.toString()
      parse(request, text, (error, value) => {
        const twice = error ? undefined : duplicateName(text)
        if (error) done(unreadable(text))
        else if (twice !== undefined)
          done(invalid(twice, `The body has the name ${JSON.stringify(twice)} twice in one object`))
        else done(null, value)
      })
    } else done(invalid('body', 'The body is not valid UTF-8'))
  }
}

/** Valid JSON that the parser refuses contains a prototype key. */
function unreadable(text: string): Refusal {
  const fault = findJsonSyntaxError(text)
  if (!fault) return invalid('body', 'The body must not have a key __proto__, nor a constructor with a prototype')
  const { line, column, found, wanted } = fault
  const there = found === undefined ? 'it ends' : `there is ${JSON.stringify(found)}`
  return invalid('body', `The body is not valid JSON: at line ${line}, column ${column} ${there}, and not ${wanted}`)
}

type Done = (error: Error | null, value?: unknown) => void

/** Bodies of this size are parsed in separate iterations of the event loop. */
const large = 1 << 20

const waiting: (() => void)[] = []

/** Parses one large body in each iteration of the event loop: 12 MiB take 30 to 50 ms, with validation. */
function whenIdle(body: Buffer, read: () => void): void {
  if (body.length < large) read()
  else if (waiting.push(read) === 1) setImmediate(readNext)
}

function readNext(): void {
  const read = waiting.shift()
  if (waiting.length > 0) setImmediate(readNext)
  read?.()
}

/** Identifies the request under one Idempotency-Key. */
function fingerprint(request: FastifyRequest, body: Buffer): Buffer | null {
  if (request.headers['idempotency-key'] === undefined) return null
  return createHash('sha256').update(`${request.method} ${request.url}\n`).update(body).digest()
}
