import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Milliseconds for clients to receive `Connection: close`. */
const lingerMs = 1_000

/**
 * Accepts no new connection, and closes each one with its next answer. Resolves when all are closed, or after a second.
 * Closing a connection between two requests, as node:http does, would fail a request in flight (RFC 9112, section 9.5).
 */
export async function drainConnections(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  const ended = once(server, 'close')
  // The close() of node:http would close the connections too.
  Listener.prototype.close.call(server)
  await Promise.race([ended, wait(lingerMs)])
}
