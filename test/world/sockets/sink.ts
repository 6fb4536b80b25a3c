import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { SinkConnection } from './sink-connection.ts'

/** Steps of a session at which a test can make a sink act. `content` is each piece of a message, `end of data` a whole one. */
export type Step =
  | 'connect'
  | 'greeting'
  | 'ehlo'
  | 'helo'
  | 'starttls'
  | 'handshake'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'content'
  | 'end of data'
  | 'rset'
  | 'quit'

/** A reply in place of the usual one (`\r\n` between lines, none at the end), or what to do instead or besides. */
export type Act =
  | string
  | {
      readonly reply?: string
      /** After the reply, if any: `hang up` ends the connection, `reset` cuts it, `stall` says and reads nothing more. */
      readonly next?: 'hang up' | 'reset' | 'stall'
      /** With `end of data`: the message counts as accepted whatever the reply. By default a 2xx accepts. */
      readonly keep?: boolean
    }

/** The context of a step. */
export interface Scene {
  /** Counts connections from 1. */
  readonly connection: number
  /** The command's line; empty where there is none. */
  readonly line: string
  readonly from: string
  /** Those accepted so far. */
  readonly to: readonly string[]
  /** The address in this RCPT. */
  readonly recipient: string
}

export interface SinkOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string
  readonly port?: number
  /** In place of PIPELINING, SIZE, 8BITMIME, SMTPUTF8 and ENHANCEDSTATUSCODES. */
  readonly extensions?: readonly string[]
  /** STARTTLS is offered, or TLS is on from the start where that is `implicit`. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly implicit?: boolean }
  /** AUTH is offered and MAIL needs it. */
  readonly login?: { readonly user: string; readonly password: string; readonly mechanism?: 'PLAIN' | 'LOGIN' }
  /** Undefined for the usual reply. Of `content`, called for every piece that comes. */
  readonly act?: (step: Step, scene: Scene) => Act | undefined
}

/** An accepted message. */
export interface Taken {
  readonly connection: number
  readonly from: string
  readonly to: readonly string[]
  /** The parameters of MAIL, as written. */
  readonly parameters: string
  /** Dots unstuffed. */
  readonly bytes: Buffer
  readonly tls: boolean
}

/** An SMTP server for tests. By default it accepts everything. */
export class Sink implements AsyncDisposable {
  readonly taken: Taken[] = []
  /** Every command line of every connection, in the order in which they came. */
  readonly lines: string[] = []
  /** May be changed at any time. */
  act: NonNullable<SinkOptions['act']>
  readonly options: SinkOptions
  /** Connections so far. */
  connections = 0
  readonly #server: Server
  readonly #open = new Set<SinkConnection>()
  #changed = Promise.withResolvers<void>()

  private constructor(options: SinkOptions) {
    this.options = options
    this.act = options.act ?? (() => undefined)
    this.#server = createServer((socket) => this.#accept(socket))
  }

  static async start(options: SinkOptions = {}): Promise<Sink> {
    const sink = new Sink(options)
    sink.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
    await once(sink.#server, 'listening')
    return sink
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('The sink is closed')
    return address.port
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#open.size
  }

  /** Resolves once the condition holds, which is checked whenever something arrives. */
  async until(condition: (sink: Sink) => boolean): Promise<void> {
    while (!condition(this)) await this.#changed.promise
  }

  /** For its connections: something has happened. */
  stir(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  #accept(socket: Socket): void {
    this.connections += 1
    const connection = new SinkConnection(this, socket, this.connections)
    this.#open.add(connection)
    socket.once('close', () => {
      this.#open.delete(connection)
      this.stir()
    })
    connection.start()
    this.stir()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#open) connection.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
