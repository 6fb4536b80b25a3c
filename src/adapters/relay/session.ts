import { authenticate, type Login } from './authenticate.ts'
import type { Limits } from './limits.ts'
import { extensionsIn } from './reply.ts'
import { type Lost, stopped, Trouble, troubleFrom } from './trouble.ts'
import { type Endpoint, Wire } from './wire.ts'

/** `implicit` and `required` verify the certificate, since whoever may forge it may as well read in the clear. */
export type Tls = 'implicit' | 'required' | 'offered' | 'never'

export interface Peer extends Endpoint {
  readonly tls: Tls
  readonly login?: Login | undefined
}

/** What a session is opened with. */
export interface Opening {
  /** The name that we say EHLO with. */
  readonly name: string
  readonly limits: Limits
  readonly signal: AbortSignal
}

/** An SMTP session (RFC 5321) that is ready for messages, one after another. */
export class Session {
  readonly wire: Wire
  readonly limits: Limits
  /** What the server offers, keywords in upper case. */
  readonly extensions: ReadonlyMap<string, readonly string[]>
  /** Transactions that it has seen. */
  used = 0
  /** A transaction was begun and not ended: RSET comes before the next. */
  begun = false

  private constructor(wire: Wire, limits: Limits, extensions: Session['extensions']) {
    this.wire = wire
    this.limits = limits
    this.extensions = extensions
  }

  /** Connects, says EHLO, goes over to TLS and logs in, as far as the peer asks for it. Throws `Trouble`. */
  static async open(peer: Peer, { name, limits, signal }: Opening): Promise<Session> {
    const wire = await Wire.open(peer, limits.connect, signal)
    const stop = () => wire.destroy(stopped(signal))
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (peer.tls === 'implicit') await wire.secure(peer, true, limits.hello)
      const greeting = await wire.reply('our connection', limits.greeting)
      if (greeting.code !== 220) throw troubleFrom(greeting, peer.host, 'our connection')
      let extensions = await greet(wire, name, limits)
      if (await startTls(wire, peer, extensions, limits)) extensions = await greet(wire, name, limits)
      if (peer.login) await authenticate(wire, peer.login, extensions, limits.hello)
      return new Session(wire, limits, extensions)
    } catch (error) {
      await wire.quit(limits.quit)
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  offers(keyword: string): boolean {
    return this.extensions.has(keyword)
  }

  lost(): Lost | undefined {
    return this.wire.lost()
  }

  /** Makes ready for the next message; false where that cannot be had. */
  async ready(): Promise<boolean> {
    if (this.lost()) return false
    if (!this.begun) return true
    this.wire.send('RSET\r\n')
    const reply = await this.wire.reply('RSET', this.limits.envelope).catch(() => undefined)
    this.begun = false
    return reply?.code === 250
  }
}

/** EHLO, and HELO where the server is too old for that (RFC 5321 4.1.4). */
async function greet(wire: Wire, name: string, { hello }: Limits): Promise<Session['extensions']> {
  wire.send(`EHLO ${name}\r\n`)
  const reply = await wire.reply('EHLO', hello)
  if (reply.code === 250) return extensionsIn(reply)
  if (reply.code < 500) throw troubleFrom(reply, wire.host, 'our connection')
  wire.send(`HELO ${name}\r\n`)
  const older = await wire.reply('HELO', hello)
  if (older.code !== 250) throw troubleFrom(older, wire.host, 'our connection')
  return new Map()
}

/** STARTTLS (RFC 3207) where the peer's rule and what is offered call for it. False where it goes on in the clear. */
async function startTls(
  wire: Wire,
  peer: Peer,
  extensions: Session['extensions'],
  { hello }: Limits,
): Promise<boolean> {
  if (peer.tls === 'implicit' || peer.tls === 'never') return false
  if (extensions.has('STARTTLS')) {
    wire.send('STARTTLS\r\n')
    const reply = await wire.reply('STARTTLS', hello)
    if (reply.code === 220) {
      await wire.secure(peer, peer.tls === 'required', hello)
      return true
    }
    if (reply.code < 400 || reply.code === 421) throw troubleFrom(reply, wire.host, 'our connection')
  }
  if (peer.tls === 'required') throw new Trouble('4.7.4', `${wire.host} offers no TLS, which is required`)
  return false
}
