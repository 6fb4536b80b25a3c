import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Act, Sink, Step } from './sink.ts'

const usual = ['PIPELINING', 'SIZE 26214400', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES']
const end = Buffer.from('\r\n.\r\n')
const lineEnd = Buffer.from('\r\n')

/** A connection to a sink, which answers commands as the test says. */
export class SinkConnection {
  readonly #sink: Sink
  readonly #connection: number
  readonly #raw: Socket
  #socket: Socket
  /** Received octets of an incomplete line. */
  #rest: Buffer = Buffer.alloc(0)
  /** Of the message that comes. */
  #pieces: Buffer[] | undefined
  /** The octets before the next piece, in which its end may have begun. */
  #tail: Buffer = lineEnd
  #from = ''
  #parameters = ''
  #mailed = false
  #to: string[] = []
  #secured = false
  #loggedIn: boolean
  /** Takes the next line in place of a command. */
  #awaiting: ((line: string) => void) | undefined
  #deaf = false

  constructor(sink: Sink, socket: Socket, connection: number) {
    this.#sink = sink
    this.#raw = socket
    this.#socket = socket
    this.#connection = connection
    this.#loggedIn = sink.options.login === undefined
    socket.setNoDelay(true)
    socket.on('error', () => {})
  }

  start(): void {
    if (!this.#act('connect')) return
    if (this.#sink.options.tls?.implicit) this.#secure()
    else this.#listen()
    this.#act('greeting', { usual: '220 sink.example ESMTP' })
  }

  cut(): void {
    this.#socket.destroy()
    this.#raw.destroy()
  }

  readonly #hear = (octets: Buffer) => {
    let left = octets
    while (left.length > 0 && !this.#deaf) left = this.#pieces ? this.#gather(left, this.#pieces) : this.#line(left)
    this.#sink.stir()
  }

  #listen(): void {
    this.#socket.on('data', this.#hear)
  }

  #secure(): void {
    const { cert, key } = this.#sink.options.tls ?? {}
    this.#socket.off('data', this.#hear)
    const secured = new TLSSocket(this.#socket, { isServer: true, secureContext: createSecureContext({ cert, key }) })
    secured.on('error', () => {})
    this.#socket = secured
    this.#secured = true
    this.#listen()
  }

  /** Takes one line from what came, and answers the octets behind it. */
  #line(octets: Buffer): Buffer {
    const joined = Buffer.concat([this.#rest, octets])
    const at = joined.indexOf('\r\n')
    this.#rest = at < 0 ? joined : Buffer.alloc(0)
    if (at < 0) return this.#rest.subarray(0, 0)
    const line = joined.toString('utf8', 0, at)
    this.#sink.lines.push(line)
    const awaiting = this.#awaiting
    this.#awaiting = undefined
    if (awaiting) awaiting(line)
    else this.#command(line)
    return joined.subarray(at + 2)
  }

  #command(line: string): void {
    switch (/^[A-Z]*/i.exec(line)?.[0].toUpperCase()) {
      case 'EHLO':
        return void this.#act('ehlo', { line, usual: this.#offers() })
      case 'HELO':
        return void this.#act('helo', { line, usual: '250 sink.example' })
      case 'STARTTLS':
        return void this.#startTls(line)
      case 'AUTH':
        return void this.#authenticate(line)
      case 'MAIL':
        return void this.#mail(line)
      case 'RCPT':
        return void this.#rcpt(line)
      case 'DATA':
        return void this.#data(line)
      case 'RSET':
        this.#mailed = false
        this.#to = []
        return void this.#act('rset', { line, usual: '250 2.0.0 Forgotten' })
      case 'QUIT':
        return void this.#act('quit', { line, usual: { reply: '221 2.0.0 Bye', next: 'hang up' } })
      default:
        return void this.#say('500 5.5.2 What?')
    }
  }

  #offers(): string {
    const { extensions = usual, tls, login } = this.#sink.options
    const offered = [
      ...['sink.example', ...extensions, ...(tls && !this.#secured ? ['STARTTLS'] : [])],
      ...(login ? [`AUTH ${login.mechanism ?? 'PLAIN'}`] : []),
    ]
    return offered.map((one, at) => `250${at === offered.length - 1 ? ' ' : '-'}${one}`).join('\r\n')
  }

  #startTls(line: string): void {
    if (!this.#sink.options.tls) return void this.#say('502 5.5.1 No TLS here')
    const agreed = this.#act('starttls', { line, usual: '220 2.0.0 Go ahead', good: /^220/ })
    if (agreed && this.#act('handshake')) this.#secure()
  }

  #authenticate(line: string): void {
    const { user, password, mechanism = 'PLAIN' } = this.#sink.options.login ?? {}
    const decide = (ours: string, theirs: string) => {
      const usual = ours === user && theirs === password ? '235 2.7.0 Welcome' : '535 5.7.8 Who are you?'
      this.#loggedIn = this.#act('auth', { line, usual, good: /^235/ })
    }
    const [, asked, initial = ''] = line.split(' ')
    if (user === undefined || asked !== mechanism) return void this.#say('504 5.5.4 Not that way')
    if (mechanism === 'PLAIN') {
      const [, ours = '', theirs = ''] = decoded(initial).split('\0')
      return void decide(ours, theirs)
    }
    this.#say('334 VXNlcm5hbWU6')
    this.#awaiting = (name) => {
      this.#say('334 UGFzc3dvcmQ6')
      this.#awaiting = (secret) => decide(decoded(name), decoded(secret))
    }
  }

  #mail(line: string): void {
    if (!this.#loggedIn) return void this.#say('530 5.7.0 Log in first')
    const [, from = '', parameters = ''] = /^MAIL FROM:<([^>]*)>(.*)$/i.exec(line) ?? []
    this.#from = from
    this.#parameters = parameters.trim()
    this.#to = []
    this.#mailed = this.#act('mail', { line, usual: '250 2.1.0 Ok', good: /^2/ })
  }

  #rcpt(line: string): void {
    if (!this.#mailed) return void this.#say('503 5.5.1 MAIL first')
    const [, recipient = ''] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? []
    if (this.#act('rcpt', { line, recipient, usual: '250 2.1.5 Ok', good: /^2/ })) this.#to.push(recipient)
  }

  #data(line: string): void {
    const usual = this.#to.length > 0 ? '354 Go on' : '554 5.5.1 Nobody to have it'
    if (!this.#act('data', { line, usual, good: /^354/ })) return
    this.#pieces = []
    this.#tail = lineEnd
  }

  /** Takes a piece of the message, and answers the octets behind its end. */
  #gather(octets: Buffer, pieces: Buffer[]): Buffer {
    if (!this.#act('content')) return octets
    const joined = Buffer.concat([this.#tail, octets])
    const at = joined.indexOf(end)
    const stop = at < 0 ? octets.length : at + end.length - this.#tail.length
    pieces.push(octets.subarray(0, stop))
    this.#tail = joined.subarray(-4)
    if (at < 0) return octets.subarray(stop)
    this.#pieces = undefined
    this.#whole(Buffer.concat(pieces).subarray(0, -3))
    return octets.subarray(stop)
  }

  #whole(stuffed: Buffer): void {
    const message = {
      connection: this.#connection,
      from: this.#from,
      to: this.#to,
      parameters: this.#parameters,
      bytes: unstuffed(stuffed),
      tls: this.#secured,
    }
    this.#mailed = false
    this.#to = []
    this.#act('end of data', { usual: '250 2.0.0 Taken', good: /^2/, kept: () => this.#sink.taken.push(message) })
  }

  /** Does what the test says for this step, or the usual. Answers whether the session continues, and
   *  with a reply that is `good`. */
  #act(step: Step, { line = '', recipient = '', usual, good, kept }: Usual = {}): boolean {
    const scene = { connection: this.#connection, line, from: this.#from, to: this.#to, recipient }
    const scripted = this.#sink.act(step, scene) ?? usual ?? {}
    const act = typeof scripted === 'string' ? { reply: scripted } : scripted
    const habit = typeof usual === 'string' ? usual : usual?.reply
    const reply = act.reply ?? (act.next ? undefined : habit)
    const agrees = reply !== undefined && (good?.test(reply) ?? false)
    if (act.keep ?? agrees) kept?.()
    if (reply !== undefined) this.#say(reply)
    if (act.next) this.#turn(act.next)
    return !act.next && (good === undefined || agrees)
  }

  #turn(next: 'hang up' | 'reset' | 'stall'): void {
    this.#deaf = true
    if (next === 'stall') this.#socket.pause()
    else if (next === 'hang up') this.#socket.end()
    else this.#raw.resetAndDestroy()
  }

  #say(text: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${text}\r\n`)
  }
}

interface Usual {
  readonly line?: string
  readonly recipient?: string
  readonly usual?: Act
  readonly good?: RegExp
  readonly kept?: () => void
}

/** RFC 5321, section 4.5.2. */
function unstuffed(octets: Buffer): Buffer {
  if (octets[0] !== 0x2e && !octets.includes('\n.')) return octets
  return Buffer.from(octets.toString('latin1').replace(/(^|\r\n)\./g, '$1'), 'latin1')
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}
