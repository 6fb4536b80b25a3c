import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A client of IMAP that reads as fast as it is sent to, and looks at nothing but the end of a command. */
export class ImapLoadClient implements AsyncDisposable {
  readonly #socket: Socket
  #tags = 0
  /** The end of what has come since the last command. */
  #tail = ''
  /** Octets since the last command. */
  #octets = 0
  #heard: () => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#octets += chunk.length
      this.#tail = (this.#tail + chunk.subarray(-1_024).toString('latin1')).slice(-1_024)
      this.#heard()
    })
    socket.on('close', () => this.#heard())
    socket.on('error', () => {})
  }

  /** One that has signed in. */
  static async open(
    { port, login, password }: { port: number; login: string; password: string },
    localAddress?: string,
  ): Promise<ImapLoadClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, ...(localAddress && { localAddress }) })
    await once(socket, 'connect')
    const client = new ImapLoadClient(socket)
    await client.until(/^\* OK .*\r\n/)
    await client.run(`LOGIN "${login}" "${password}"`)
    return client
  }

  /** Sends commands together. Answers the octets that came until the last was done, and the end of them. */
  async run(...commands: readonly (string | Buffer)[]): Promise<{ octets: number; end: string }> {
    this.#tail = ''
    this.#octets = 0
    for (const command of commands) {
      this.#socket.write(`t${++this.#tags} `)
      this.#socket.write(command)
      this.#socket.write('\r\n')
    }
    await this.until(new RegExp(`(^|\r\n)t${this.#tags} (OK|NO|BAD)[^\r]*\r\n$`))
    if (!this.#tail.includes(`t${this.#tags} OK`)) throw new Error(`${commands.at(-1)}: ${this.#tail.slice(-200)}`)
    return { octets: this.#octets, end: this.#tail }
  }

  /** Waits until what has come since the last command ends so. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#tail)) {
      if (this.#socket.closed) throw new Error(`the server has ended the connection: ${this.#tail}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#heard = resolve
      await promise
    }
  }

  /** From now on the server may tell of changes. */
  async idle(): Promise<void> {
    this.#tail = ''
    this.#socket.write(`t${++this.#tags} IDLE\r\n`)
    await this.until(/\+ [^\r]*\r\n$/)
    this.#tail = ''
  }

  /** What has come is not waited for again. */
  forget(): void {
    this.#tail = ''
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.closed) return
    this.#socket.destroy()
    await once(this.#socket, 'close')
  }
}

/** APPEND with a literal that is sent at once. */
export function appendOf(folder: string, raw: Buffer, marks: { seen: boolean; keywords?: readonly string[] }): Buffer {
  const { seen, keywords = [] } = marks
  const flags = [...(seen ? ['\\Seen'] : []), ...keywords].join(' ')
  return Buffer.concat([Buffer.from(`APPEND ${folder} (${flags}) {${raw.length}+}\r\n`), raw])
}
