import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import { unmappedAddress } from '#/base/network/ip-address.ts'
import type { MemoryShare } from './message-memory.ts'

/** Milliseconds for the last replies to be sent when a listener stops. */
const flushTimeout = 500

const ignored = () => {}

/** A network with connections, to which limits apply. */
export interface Client {
  connections: number
  readonly share: MemoryShare
}

/** A server's port: accepts connections until it is closed. */
export class Acceptor {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #log: Logger

  constructor(accept: (socket: Socket, address: string) => void, log: Logger) {
    this.#log = log
    // A client may shut down its side of the connection and still read the replies.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      // A socket error is also seen as its end.
      socket.on('error', ignored)
      accept(socket, unmappedAddress(socket.remoteAddress ?? ''))
    })
  }

  /** Port 0 is any free port. */
  async listen(host: string, port: number): Promise<void> {
    this.#server.listen({ host, port, backlog: 1024 })
    await once(this.#server, 'listening')
    // Without this, a failed accept (no file descriptor is left) would end the process.
    this.#server.on('error', (err) => this.#log.error({ err }, 'a connection could not be accepted'))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Accepts no new connection, waits until sessions are over, but no longer than so many milliseconds, and ends what is left. */
  async close(endSessions: () => Promise<unknown>, milliseconds: number): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, milliseconds)
    await Promise.race([endSessions(), late.promise])
    clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroySoon()
    const flushed = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, flushTimeout)
    await closed
    clearTimeout(flushed)
  }
}
