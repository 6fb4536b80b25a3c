import { type ConnectionLost, failureFrom, NoTls, stopped, TlsFailed } from '../delivery-failure.ts'
import type { Limits } from '../limits.ts'
import type { Login } from '../login.ts'
import { authenticate } from './authenticate.ts'
import type { Endpoint } from './endpoint.ts'
import { extensionsIn } from './reply.ts'
import { SmtpConnection } from './smtp-connection.ts'

/** `implicit` and `required` verify the certificate; `offered` sends in the clear if TLS is not offered or fails. */
export type Tls = 'implicit' | 'required' | 'offered' | 'never'

export interface Peer extends Endpoint {
  readonly tls: Tls
  readonly login?: Login | undefined
}

export interface Opening {
  /** Our name in EHLO. */
  readonly name: string
  readonly limits: Limits
  readonly signal: AbortSignal
}

/** The client side of an SMTP session (RFC 5321), ready for messages one after another. */
export class SmtpClient {
  readonly connection: SmtpConnection
  /** To which it is connected: the IP address, or the name that was given in its place. */
  readonly address: string
  readonly limits: Limits
  readonly extensions: ReadonlyMap<string, readonly string[]>
  /** Number of transactions. */
  used = 0
  /** A transaction is open: RSET must precede the next. */
  begun = false

  private constructor(
    connection: SmtpConnection,
    address: string,
    limits: Limits,
    extensions: SmtpClient['extensions'],
  ) {
    this.connection = connection
    this.address = address
    this.limits = limits
    this.extensions = extensions
  }

  /** Connects, starts TLS and authenticates, as the peer requires. Throws `DeliveryFailure`. */
  static async open(peer: Peer, opening: Opening): Promise<SmtpClient> {
    try {
      return await SmtpClient.#open(peer, opening)
    } catch (error) {
      // Opportunistic security (RFC 7435): in the clear rather than not at all. A password is never sent so.
      const mayBeClear = peer.tls === 'offered' && !peer.login && !opening.signal.aborted
      if (!(error instanceof TlsFailed) || !mayBeClear) throw error
      return await SmtpClient.#open({ ...peer, tls: 'never' }, opening)
    }
  }

  static async #open(peer: Peer, { name, limits, signal }: Opening): Promise<SmtpClient> {
    const connection = await SmtpConnection.open(peer, limits.connect, signal)
    const stop = () => connection.destroy(stopped(signal))
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (peer.tls === 'implicit') await connection.secure(peer, true, limits.hello)
      const greeting = await connection.reply('our connection', limits.greeting)
      if (greeting.code !== 220) throw failureFrom(greeting, peer.host, 'our connection')
      let extensions = await greet(connection, name, limits)
      if (await startTls(connection, peer, extensions, limits)) extensions = await greet(connection, name, limits)
      if (peer.login) await authenticate(connection, peer.login, extensions, limits.hello)
      return new SmtpClient(connection, peer.address, limits, extensions)
    } catch (error) {
      await connection.quit(limits.quit)
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  offers(keyword: string): boolean {
    return this.extensions.has(keyword)
  }

  lost(): ConnectionLost | undefined {
    return this.connection.lost()
  }

  /** Prepares the next message; returns false if the session is unusable. */
  async ready(): Promise<boolean> {
    if (this.lost()) return false
    if (!this.begun) return true
    this.connection.send('RSET\r\n')
    const reply = await this.connection.reply('RSET', this.limits.envelope).catch(() => undefined)
    this.begun = false
    return reply?.code === 250
  }
}

/** EHLO, or HELO if the server does not know it (RFC 5321, section 3.2). */
async function greet(connection: SmtpConnection, name: string, { hello }: Limits): Promise<SmtpClient['extensions']> {
  connection.send(`EHLO ${name}\r\n`)
  const reply = await connection.reply('EHLO', hello)
  if (reply.code === 250) return extensionsIn(reply)
  if (reply.code < 500) throw failureFrom(reply, connection.host, 'our connection')
  connection.send(`HELO ${name}\r\n`)
  const older = await connection.reply('HELO', hello)
  if (older.code !== 250) throw failureFrom(older, connection.host, 'our connection')
  return new Map()
}

/** STARTTLS (RFC 3207), as the peer's rule and the server's offer demand. Returns false in the clear. */
async function startTls(
  connection: SmtpConnection,
  peer: Peer,
  extensions: SmtpClient['extensions'],
  { hello }: Limits,
): Promise<boolean> {
  if (peer.tls === 'implicit' || peer.tls === 'never') return false
  if (extensions.has('STARTTLS')) {
    connection.send('STARTTLS\r\n')
    const reply = await connection.reply('STARTTLS', hello)
    if (reply.code === 220) {
      await connection.secure(peer, peer.tls === 'required', hello)
      return true
    }
    if (reply.code < 400 || reply.code === 421) throw failureFrom(reply, connection.host, 'our connection')
  }
  if (peer.tls === 'required') throw new NoTls('4.7.4', `${connection.host} offers no TLS, which is required`)
  return false
}
