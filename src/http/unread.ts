import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { App } from './app-type.ts'

/** How much of a body that nobody reads is dropped before the connection ends, and for how long, in milliseconds. */
const mostDropped = 64 << 20
const longest = 60_000

/**
 * Answers a request at once whose body is not read, or not to its end, and drops the rest of the body before it ends the
 * answer. To close the connection instead would reset it under a client that sends all before it reads: that client never
 * sees the answer (RFC 9112, section 9.6).
 */
export function dropUnread(app: App): void {
  const unasked = awaitContinue(app)
  app.addHook('onSend', (request, reply, payload: unknown, done) => {
    const { raw } = request
    if (!hasBody(raw)) return done(null, payload)
    // Fastify would end the connection after any body that it cannot read.
    reply.removeHeader('Connection')
    if (raw.readableEnded) return done(null, payload)
    if (unasked.delete(raw)) {
      // It sends its body only when it is told to, and may now take this answer for the reason not to.
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

/** Asks for the body of a client that waits for it (RFC 9110, section 10.1.1) when it is read, and not before. Answers the
 *  requests that have not been asked for it. */
function awaitContinue({ server }: App): WeakSet<IncomingMessage> {
  const unasked = new WeakSet<IncomingMessage>()
  server.on('checkContinue', (request, response) => {
    unasked.add(request)
    request.once('resume', () => {
      if (unasked.delete(request)) response.writeContinue()
    })
    server.emit('request', request, response)
  })
  return unasked
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

async function* andDrop(answer: string, request: IncomingMessage, response: ServerResponse) {
  yield answer
  if (!(await dropped(request))) response.once('finish', () => request.socket.destroy())
}

/** Whether the body came to its end within the limits. */
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
