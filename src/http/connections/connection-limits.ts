import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Concurrent connections. An idle one takes some 10 KB and a file descriptor. */
const mostConnections = 8_000

/** Time-outs in milliseconds. */
export const patience = {
  /** For one request, headers and body. */
  requestTimeout: 300_000,
  /** Without traffic in either direction. */
  connectionTimeout: 300_000,
  /** Between two requests: longer than reverse proxies keep a connection, so that none is closed under a request. */
  keepAliveTimeout: 72_000,
} as const

/** Milliseconds for the headers of a request. */
export const headersTimeout = 60_000

/** At the limit, the connection that has been idle or unfinished the longest is closed, so that such clients cannot lock out
 *  others. */
export function limitConnections(server: Server): void {
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
