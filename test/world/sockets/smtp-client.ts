import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A reply as it came: `250-…` lines and all. */
export interface SmtpReply {
  readonly code: number
  /** RFC 3463; empty where the reply has none. */
  readonly status: string
  /** Both, as in `250 2.1.0`. */
  readonly codes: string
  readonly text: string
  readonly lines: readonly string[]
}

/** This machine alone unless it says otherwise. */
interface Where {
  readonly host?: string
  readonly localAddress?: string
}

/** An SMTP client that sends given octets, also forbidden ones. */
export class SmtpClient implements AsyncDisposable {
  #socket: Socket
  #received = ''
  #ended = false
  #wake: (() => void) | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#listen()
  }

  /** Connects, and sends `first` without waiting for the greeting. */
  static async open(port: number, { host = '127.0.0.1', first, localAddress }: Where & { first?: string } = {}) {
    const socket = connect({ port, host, noDelay: true, ...(localAddress && { localAddress }) })
    if (first) socket.write(first, 'latin1')
    await once(socket, 'connect')
    return new SmtpClient(socket)
  }

  /** Connects over implicit TLS, without verification of the certificate. */
  static async openTls(port: number): Promise<SmtpClient> {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    return new SmtpClient(socket)
  }

  /** Connects, reads the greeting and sends EHLO. */
  static async greeted(port: number, options: Where = {}): Promise<SmtpClient> {
    const client = await SmtpClient.open(port, options)
    await client.reply()
    await client.say('EHLO peer.example')
    return client
  }

  /** Sends exactly these octets. */
  write(octets: string | Buffer): void {
    this.#socket.write(typeof octets === 'string' ? Buffer.from(octets, 'latin1') : octets)
  }

  /** Sends a line and waits for its reply. */
  async say(line: string): Promise<SmtpReply> {
    this.#socket.write(`${line}\r\n`)
    return this.reply()
  }

  /** The next reply. Rejects where the server hangs up before it. */
  async reply(): Promise<SmtpReply> {
    for (;;) {
      const end = /^\d{3}(?: .*)?\r\n/m.exec(this.#received)
      if (end) return this.#take(end.index + end[0].length)
      if (this.#ended) throw new Error(`The server hung up; it had said ${JSON.stringify(this.#received)}`)
      await this.#more()
    }
  }

  /** Everything that the server sends until it hangs up. */
  async rest(): Promise<string> {
    while (!this.#ended) await this.#more()
    return this.#received
  }

  /** Begins a transaction up to DATA; answers the last reply: 354, or that to the first command that was refused. */
  async begin(from: string, to: string | readonly string[]): Promise<SmtpReply> {
    for (const command of [`MAIL FROM:<${from}>`, ...[to].flat().map((one) => `RCPT TO:<${one}>`)]) {
      const reply = await this.say(command)
      if (reply.code >= 400) return reply
    }
    return this.say('DATA')
  }

  /** Sends a message in one transaction and answers the last reply: that to the message, or to the first command
   *  that was refused. Dots are stuffed; line ends are as given. */
  async send(from: string, to: string | readonly string[], message: string): Promise<SmtpReply> {
    const reply = await this.begin(from, to)
    if (reply.code !== 354) return reply
    this.write(Buffer.from(`${message.replace(/^\./gm, '..')}\r\n.\r\n`))
    return this.reply()
  }

  /** The name in the server's certificate, once TLS is on. */
  peerName = ''

  /** STARTTLS and the handshake, without verification of the certificate. */
  async startTls(): Promise<SmtpReply> {
    const reply = await this.say('STARTTLS')
    if (reply.code !== 220) return reply
    this.#socket.removeAllListeners()
    const secured = connectTls({ socket: this.#socket, rejectUnauthorized: false })
    await once(secured, 'secureConnect')
    this.#socket = secured
    this.peerName = String(secured.getPeerCertificate().subject.CN)
    this.#listen()
    return reply
  }

  /** Closes the connection without QUIT. */
  vanish(): void {
    this.#socket.destroy()
  }

  /** Resets the connection (RST). */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** Closes the sending side, and continues to read. */
  end(): void {
    this.#socket.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
  }

  #listen(): void {
    this.#socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1')
      this.#wake?.()
    })
    const over = () => {
      this.#ended = true
      this.#wake?.()
    }
    this.#socket.once('end', over)
    this.#socket.once('close', over)
    this.#socket.on('error', over)
  }

  async #more(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  #take(length: number): SmtpReply {
    const lines = this.#received.slice(0, length - 2).split('\r\n')
    this.#received = this.#received.slice(length)
    const last = lines.at(-1) ?? ''
    const [, code = '', status = '', text = ''] = /^(\d{3}) ?(?:([245]\.\d+\.\d+) )?(.*)$/.exec(last) ?? []
    return { code: Number(code), status, codes: `${code} ${status}`, text, lines }
  }
}
