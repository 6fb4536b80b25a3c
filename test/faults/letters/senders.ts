import { createHash, randomUUID } from 'node:crypto'
import { SmtpClient, type SmtpReply } from '#test/world/sockets/smtp-client.ts'
import type { Attempt } from './checker.ts'
import { ConcurrentClients } from './concurrent-clients.ts'

/** A message of a sender. */
export class Letter {
  /** Unique; also its subject. */
  readonly name: string
  readonly recipients: readonly string[]
  /** Whether it has a Message-ID, by which a repetition is recognized. */
  readonly known: boolean
  /** How often it was sent up to its end of data. */
  attempts = 0
  acknowledged = false

  constructor(name: string, recipients: readonly string[], known: boolean) {
    this.name = name
    this.recipients = recipients
    this.known = known
  }

  /** Whether several statements in a transaction store it. Others are stored by one statement, which commits. */
  get long(): boolean {
    return this.name.startsWith('long ')
  }

  /** Its bytes, which follow from its name: 0.3 KB, 3 KB or now and then 300; 1.2 MB of a long one. */
  get text(): string {
    const id = this.known ? `Message-ID: <${this.name.replaceAll(' ', '.')}@peer.example>\r\n` : ''
    const line = `${createHash('sha256').update(this.name).digest('hex')}\r\n`
    const first = line.charCodeAt(0)
    const lines = this.long ? 18_000 : line[1] === '0' && first < 0x32 ? 4_500 : first < 0x35 ? 45 : 2
    return `From: Ann <ann@peer.example>\r\nSubject: ${this.name}\r\n${id}\r\n${line.repeat(lines)}`
  }
}

/** Senders of one letter after the other, each on its own connection until a letter is refused, so that no sender
 *  meets the limit of commands on a connection. A sender without an answer, or with a refusal, repeats the letter, or in
 *  one case of eight gives up. */
export class Senders extends ConcurrentClients {
  readonly letters: Letter[] = []
  /** Counts of replies other than 250. */
  readonly refused = new Map<string, number>()
  readonly #port: () => Promise<number>
  readonly #addresses: readonly string[]
  #answered = Promise.withResolvers<void>()

  /** `port` answers the current port, and may wait for one. */
  constructor(port: () => Promise<number>, addresses: readonly string[]) {
    super()
    this.#port = port
    this.#addresses = addresses
  }

  start(count: number): void {
    for (let n = 0; n < count; n++) this.begin(this.#send())
  }

  /** Resolves once so many more letters have been stored, or refused, or either. */
  async see(count: number, what: 'acknowledged' | 'refused' | 'answered'): Promise<void> {
    const refused = () => [...this.refused.values()].reduce((sum, times) => sum + times, 0)
    const acknowledged = () => this.letters.filter(({ acknowledged }) => acknowledged).length
    const counted = { refused, acknowledged, answered: () => refused() + acknowledged() }[what]
    const wanted = counted() + count
    while (counted() < wanted) await this.#answered.promise
  }

  /** For the checker: each letter at each of its recipients. */
  attempts(): Map<string, Attempt> {
    return new Map(
      this.letters.flatMap((letter) => letter.recipients.map((address) => [`${letter.name} at ${address}`, letter])),
    )
  }

  async #send(): Promise<void> {
    let client: SmtpClient | undefined
    while (!this.stopping) {
      const letter = this.#write()
      const patient = Math.random() < 7 / 8
      do {
        try {
          client ??= await SmtpClient.greeted(await this.#port())
          await this.#handOver(client, letter)
        } catch {
          client?.vanish()
          client = undefined
          await new Promise(setImmediate)
        }
      } while (!this.gone && !letter.acknowledged && (patient || letter.attempts === 0))
    }
    client?.vanish()
  }

  #write(): Letter {
    const first = this.letters.length % this.#addresses.length
    const recipients = this.#addresses.slice(first, first + (Math.random() < 0.2 ? 2 : 1))
    const word = ['plain', 'plain', 'urgent', 'elsewhere'][Math.floor(Math.random() * 4)]
    const letter = new Letter(`${word} ${randomUUID()}`, recipients, Math.random() < 0.7)
    this.letters.push(letter)
    return letter
  }

  async #handOver(client: SmtpClient, letter: Letter): Promise<void> {
    const begun = await client.begin('ann@peer.example', letter.recipients)
    if (begun.code !== 354) throw this.#refusal(begun)
    letter.attempts += 1
    client.write(`${letter.text}.\r\n`)
    const reply = await client.reply()
    if (reply.code !== 250) throw this.#refusal(reply)
    letter.acknowledged = true
    this.#hear()
  }

  #hear(): void {
    this.#answered.resolve()
    this.#answered = Promise.withResolvers<void>()
  }

  #refusal({ codes: reply }: SmtpReply): Error {
    this.refused.set(reply, (this.refused.get(reply) ?? 0) + 1)
    this.#hear()
    return new Error(`refused with ${reply}`)
  }
}
