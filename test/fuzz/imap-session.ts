import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ResponseReader } from '#test/world/imap/response-reader.ts'
import { password } from '#test/world/imap/serving.ts'
import type { SentCommand } from './imap-commands.ts'

export interface Listener {
  /** What the client must not be told. */
  readonly forbidden: readonly string[]
  /** The status of each answer to a sound command. */
  readonly heard: (status: string) => void
}

/** A mail program that sends all kinds of octets, and signs in again where the server has sent it away. */
export class FuzzedSession implements AsyncDisposable {
  readonly #port: number
  readonly #address: string
  readonly #listener: Listener
  #socket: Socket | undefined
  #reader = new ResponseReader()
  #isOver = true
  #wake: () => void = () => {}
  #tags = 0

  constructor(port: number, address: string, listener: Listener) {
    this.#port = port
    this.#address = address
    this.#listener = listener
  }

  /** Sends commands together, each of which is answered, and answers all that was told. */
  async sound(commands: readonly SentCommand[]): Promise<string> {
    await this.#signedIn()
    const tagged = commands.map((command) => ({ tag: `s${++this.#tags}`, ...command }))
    const text = tagged.map(({ tag, octets }) => `${tag} ${octets}`).join('')
    await this.#send(text, tagged.at(-1)?.tag ?? '')
    const statuses = tagged.map(({ tag }) => this.#reader.takeTagged(tag)?.status)
    const told = this.#told(text)
    for (const [at, { octets, isWrong = false }] of tagged.entries()) {
      const status = statuses[at]
      this.#listener.heard(status ?? 'none')
      // Whose selected mailbox is deleted is sent away.
      if (!(this.#isOver && status === undefined && /^\* BYE Selected mailbox was deleted/m.test(told)))
        assert.match(status ?? 'none', isWrong ? /^(NO|BAD)$/ : /^(OK|NO|BAD)$/, `${JSON.stringify(octets)}: ${told}`)
    }
    return told
  }

  /** Sends what may be commands. Whatever the server waits for then comes, so that it must answer what follows. */
  async damaged(text: string): Promise<void> {
    await this.#signedIn()
    const announced = Array.from(text.matchAll(/\{(\d+)[+-]?\}/g), ([, octets]) => Number(octets))
    const filling = announced.reduce((sum, octets) => sum + octets, 0)
    const line = `${'x'.repeat(60_000)}\r\n`
    const filler = line.repeat(Math.ceil(filling / line.length))
    const last = `f${++this.#tags}`
    await this.#send(`${text}\r\n${filler}\r\nDONE\r\nf NOOP\r\n${last} NOOP\r\n`, last)
    const said = this.#told(text)
    const mayEnd = /\* BYE |Compressed from here/.test(said)
    assert.ok(!this.#isOver || mayEnd, `the connection ends after ${JSON.stringify(text)}: ${said}`)
    if (mayEnd) await this[Symbol.asyncDispose]()
  }

  /** All that the server has said, which has nothing in it that nobody should see. */
  #told(text: string): string {
    const said = this.#reader.takeAll()
    const isOurs = (one: string) => said.includes(one)
    const found = ['SERVERBUG', 'Internal error', ...this.#listener.forbidden].find(isOurs)
    assert.equal(found, undefined, `${JSON.stringify(text)} was answered ${said}`)
    return said
  }

  /** Sends, and waits for the answer to the last command, or the end of the connection. */
  async #send(text: string, last: string): Promise<void> {
    this.#socket?.write(Buffer.from(text, 'latin1'))
    while (!this.#isOver && !this.#reader.hasTagged(last) && !this.#isCompressed())
      await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  /** What follows can be read by neither side. */
  #isCompressed(): boolean {
    return this.#reader.holdsText('Compressed from here')
  }

  async #signedIn(): Promise<void> {
    if (!this.#isOver) return
    this.#reader = new ResponseReader()
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    this.#socket = socket
    this.#isOver = false
    const over = () => {
      this.#isOver = true
      this.#wake()
    }
    socket.on('data', (octets) => {
      this.#reader.feed(octets.toString('latin1'))
      this.#wake()
    })
    socket
      .on('error', () => {})
      .once('end', over)
      .once('close', over)
    await this.#send(`l LOGIN ${this.#address} "${password}"\r\n`, 'l')
    assert.equal(this.#reader.takeTagged('l')?.status, 'OK')
    this.#reader.takeAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const socket = this.#socket
    this.#socket = undefined
    this.#isOver = true
    if (!socket || socket.closed) return
    socket.destroy()
    await once(socket, 'close')
  }
}
