import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections at a time. Each that waits takes some 10 KB and a file descriptor. */
const mostConnections = 4_000

/** How long one may take of a client that is slow or gone, in milliseconds. */
export const patience = {
  /** To send one request, headers and body. */
  requestTimeout: 300_000,
  /** Without an octet either way: to read an answer, say. */
  connectionTimeout: 300_000,
  /** Between two requests: more than reverse proxies keep a connection for, so that none is closed under a request. */
  keepAliveTimeout: 72_000,
} as const

/** To send the headers of a request, or the first octet of one, in milliseconds. */
export const headersTimeout = 60_000

/** Where there are too many connections, the one that has waited longest without a request of its own being answered makes
 *  room: idle clients, and those that never finish a request, keep nobody out. */
export function boundConnections(server: Server): void {
  let open = 0
  const waiting = new Set<Socket>()
  server.on('connection', (socket) => {
    open++
    waiting.add(socket)
    socket.once('close', () => {
      open--
      waiting.delete(socket)
    })
    if (open > mostConnections) waiting.values().next().value?.destroy()
  })
  server.on('request', ({ socket }, response) => {
    waiting.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed) waiting.add(socket)
    })
  })
}
