import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { App } from '../app-type.ts'

/** Octets of an unread body that are discarded before the connection is closed, and for how many milliseconds. */
const mostDropped = 64 << 20
const longest = 60_000

/**
 * Answers a request whose body is not read, and discards the rest of the body before it ends the answer. Closing the
 * connection at once would reset it, and a client that is still sending would not see the answer (RFC 9112, section 9.6).
 */
export function discardUnreadBodies(app: App): void {
  const waiting = awaitContinue(app)
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const { raw } = request
    if (!hasBody(raw)) return done(null, payload)
    // Fastify would end the connection after any body that it cannot read.
    reply.removeHeader('Connection')
    if (raw.readableEnded) return done(null, payload)
    if (waiting.delete(raw)) {
      // The client waits for 100 Continue; after this answer it must not send the body.
      reply.header('Connection', 'close')
      return done(null, payload)
    }
    if (raw.complete || typeof payload !== 'string') {
      raw.resume()
      return done(null, payload)
    }
    reply.header('Content-Length', Buffer.byteLength(payload))
    done(null, Readable.from(andDrop(payload, raw, reply.raw)))
  })
}

/** Sends 100 Continue (RFC 9110, section 10.1.1) when the body is read, not before. Returns the requests that wait for it. */
function awaitContinue({ server }: App): WeakSet<IncomingMessage> {
  const waiting = new WeakSet<IncomingMessage>()
  server.on('checkContinue', (request, response) => {
    waiting.add(request)
    request.once('resume', () => {
      if (waiting.delete(request)) response.writeContinue()
    })
    server.emit('request', request, response)
  })
  return waiting
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

async function* andDrop(answer: string, request: IncomingMessage, response: ServerResponse) {
  yield answer
  if (!(await dropped(request))) response.once('finish', () => request.socket.destroy())
}

/** Whether the body ended within the limits. */
function dropped(request: IncomingMessage): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let left = mostDropped
  const count = (piece: Buffer) => {
    left -= piece.length
    if (left < 0) resolve(false)
  }
  const whole = () => resolve(true)
  const enough = () => resolve(false)
  const timer = setTimeout(enough, longest).unref()
  request.on('data', count).once('end', whole).once('close', enough).resume()
  return promise.finally(() => {
    clearTimeout(timer)
    request.off('data', count).off('end', whole).off('close', enough)
  })
}
