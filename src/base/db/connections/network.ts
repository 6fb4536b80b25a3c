import { Socket } from 'node:net'
import pg from 'pg'

/** The connections to a server, so that all can be cut at once. */
export class Network {
  readonly #sockets = new Set<Socket>()
  #isCut = false

  /** A socket for node-postgres to connect. */
  connect(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#isCut) setImmediate(() => socket.destroy(silent()))
    return socket
  }

  /** Cuts every connection, also those being opened, and each one that is opened before `heal`. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy(silent())
  }

  heal(): void {
    this.#isCut = false
  }
}

function silent(): Error {
  return Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' })
}

/** Whether a server accepts a connection within `connectionTimeoutMillis`, or says why it does not. */
export async function answers(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    void client.end().catch(() => {})
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError
  }
}
