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
    if (this.#isCut) setImmediate(() => socket.destroy(new Error('The database has been given up')))
    return socket
  }

  /** Cuts every connection, also those being opened, and each one opened from now on. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Whether a server accepts a connection within `connectionTimeoutMillis`; rejects with the reason if not. */
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
