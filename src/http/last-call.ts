import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** How long clients that keep a connection have to learn that it ends, in milliseconds. */
const lingerMs = 1_000

/**
 * Takes no new connection from now on, and has each answer end the one that it goes by. Resolves once all have ended, or
 * after a second: a client that asks again and again hears by then that it is to connect elsewhere. To close a connection
 * between two requests, as node:http does when it stops, would fail one that is on its way (RFC 9112, section 9.5).
 */
export async function lastCall(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  const ended = once(server, 'close')
  // That of node:http closes the connections too.
  Listener.prototype.close.call(server)
  await Promise.race([ended, wait(lingerMs)])
}
