import { isLoopback } from '#/base/network/ip-address.ts'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'
import { Bad, Bye, type Completed, No } from '../answers.ts'
import type { Command } from '../wire/arguments.ts'
import { statusLine, untagged } from '../wire/format.ts'
import { type Budgets, holderOf } from './budgets.ts'
import { capabilitiesAfter, capabilitiesBefore } from './capabilities.ts'
import type { Connection, Serve } from './connection.ts'
import { type Commands, dispatch } from './dispatch.ts'
import { readId } from './id.ts'
import type { LiveSessions } from './live-sessions.ts'
import { type LogIn, readCredentials } from './log-in.ts'
import { failureOf } from './refusals.ts'
import type { ImapDependencies } from './session.ts'
import { SignedIn } from './signed-in.ts'

/** What sessions need beside what their commands do. */
export interface SessionDependencies extends ImapDependencies, Commands {
  readonly hostname: string
  readonly logIn: LogIn
  readonly live: LiveSessions
  readonly budgets: Budgets
  /** Whether passwords are taken in the clear from this machine itself: no certificate is set. */
  readonly inClearFromHere: boolean
}

/** Commands in a row that cannot be read, after which the connection ends. */
const mostBad = 20
/** Passwords that are refused. */
const mostRefused = 3
/** From the end of the right to be here to that of a connection which is in the middle of a command, in milliseconds. */
const mostEnding = 2_000

/** What a command has done, and what follows its answer. */
interface Done extends Completed {
  readonly after?: () => Promise<void>
}

export function serveBy(parts: SessionDependencies): Serve {
  return (connection) => new ImapSession(parts, connection).run()
}

/** A session (RFC 9051, section 3): its states, the order of commands, and the tagged answers. */
class ImapSession {
  readonly #parts: SessionDependencies
  readonly #connection: Connection
  #user: SignedIn | undefined
  #held: Disposable | undefined
  #bad = 0
  #refused = 0
  #isOver = false

  constructor(parts: SessionDependencies, connection: Connection) {
    this.#parts = parts
    this.#connection = connection
  }

  /** Never throws. */
  async run(): Promise<void> {
    const { hostname, log } = this.#parts
    try {
      await this.#write(statusLine('*', 'OK', `${hostname} is ready`, `CAPABILITY ${this.#capabilities}`))
      while (!this.#isOver) await this.#next()
    } catch (error) {
      if (error instanceof Bye) await this.#sayBye(error)
      else if (!(error instanceof ClientGone || this.#connection.signal.aborted))
        log.error({ err: error }, 'imap session failed')
    } finally {
      this.#held?.[Symbol.dispose]()
      await this.#connection.close().catch(() => {})
    }
  }

  get #capabilities(): string {
    return this.#user ? capabilitiesAfter(this.#connection) : capabilitiesBefore(this.#connection, this.#takesPasswords)
  }

  /** Passwords are taken over TLS; in the clear only within this machine, and where there is no certificate. */
  get #takesPasswords(): boolean {
    const { address, localAddress, isEncrypted } = this.#connection
    return isEncrypted || (this.#parts.inClearFromHere && isLoopback(address) && isLoopback(localAddress))
  }

  async #next(): Promise<void> {
    const command = await this.#connection.command().catch(unread)
    if (command instanceof Bad) return await this.#refuse('*', 'BAD', command.message)
    await (this.#user ? this.#user.inTurn(() => this.#answer(command)) : this.#answer(command))
  }

  async #answer(command: Command): Promise<void> {
    try {
      const { text, code, after } = await this.#carryOut(command)
      await this.#write(statusLine(command.tag, 'OK', text, code))
      this.#bad = 0
      await after?.()
    } catch (error) {
      if (error instanceof Bye || error instanceof ClientGone || this.#connection.signal.aborted) throw error
      const { status, text, code } = failureOf(error, this.#parts.log, known(command.name, this.#parts.commands))
      await this.#refuse(command.tag, status, text, code)
    }
  }

  async #refuse(tag: string, status: 'NO' | 'BAD', text: string, code?: string): Promise<void> {
    await this.#write(statusLine(tag, status, text, code))
    this.#bad = status === 'BAD' ? this.#bad + 1 : 0
    if (this.#bad >= mostBad) throw new Bye('Too many commands that cannot be read')
    if (this.#refused >= mostRefused) throw new Bye('Too many failed logins')
  }

  async #carryOut(command: Command): Promise<Done> {
    const { name } = command
    const own = ImapSession.#own.get(name)
    if (own) return await own(this, command)
    if (this.#user) return await this.#dispatch(this.#user, command)
    if (this.#parts.commands.has(name) || afterLogin.has(name)) throw new Bad('Sign in first')
    throw new Bad('Unknown command')
  }

  /** Who is idle is not at work. */
  async #dispatch(user: SignedIn, command: Command): Promise<Done> {
    const carryOut = () => dispatch(this.#parts, user, command)
    return await (command.name === 'IDLE' ? carryOut() : user.atWork(carryOut))
  }

  /** Commands of the session itself, which are taken before those of the rooms. Idle sessions are many, so all share them. */
  static readonly #own: ReadonlyMap<string, (session: ImapSession, command: Command) => Promise<Done>> = new Map([
    ['CAPABILITY', (session, command) => session.#capability(command)],
    ['ID', (session, command) => session.#id(command)],
    ['LOGOUT', (session, command) => session.#logOut(command)],
    ['STARTTLS', (session, command) => session.#startTls(command)],
    ['LOGIN', (session, command) => session.#signIn(command)],
    ['AUTHENTICATE', (session, command) => session.#signIn(command)],
    ['COMPRESS', (session, command) => session.#compress(command)],
    ['NOOP', (session, command) => session.#noop(command)],
  ])

  async #capability({ args }: Command): Promise<Done> {
    args.end()
    await this.#write(untagged(`CAPABILITY ${this.#capabilities}`))
    return { text: 'These work here' }
  }

  /** RFC 2971. What the client says of itself is read and forgotten. */
  async #id({ args }: Command): Promise<Done> {
    readId(args)
    await this.#write(untagged('ID ("name" "Mailroom")'))
    return { text: 'That is who I am' }
  }

  async #noop(command: Command): Promise<Done> {
    if (this.#user) return await this.#dispatch(this.#user, command)
    command.args.end()
    return { text: 'Done' }
  }

  async #logOut({ args }: Command): Promise<Done> {
    args.end()
    await this.#write(statusLine('*', 'BYE', 'Until next time'))
    this.#isOver = true
    return { text: 'Logged out' }
  }

  /** RFC 9051, section 6.2.1. */
  async #startTls({ args }: Command): Promise<Done> {
    args.end()
    if (this.#connection.isEncrypted) throw new Bad('TLS is active already')
    if (this.#user) throw new Bad('STARTTLS comes before the login')
    if (!this.#connection.canStartTls) throw new No('There is no TLS here', 'UNAVAILABLE')
    return { text: 'Begin TLS now', after: () => this.#connection.startTls() }
  }

  /** RFC 4978. */
  async #compress({ args }: Command): Promise<Done> {
    args.space()
    if (args.word() !== 'DEFLATE') throw new Bad('The only compression is DEFLATE')
    args.end()
    if (!this.#user) throw new Bad('Sign in first')
    if (this.#connection.isCompressed) throw new No('The connection is compressed already', 'COMPRESSIONACTIVE')
    return { text: 'Compressed from here', after: () => this.#connection.compress() }
  }

  async #signIn(command: Command): Promise<Done> {
    if (this.#user) throw new Bad('You are signed in already')
    if (!this.#takesPasswords) throw new No('Passwords are taken over TLS only', 'PRIVACYREQUIRED')
    const given = await readCredentials(command, (challenge) => this.#connection.ask(challenge))
    try {
      await this.#begin(await this.#parts.logIn(given, this.#connection.address))
    } catch (error) {
      this.#refused += 1
      throw error
    }
    return { text: 'Signed in', code: `CAPABILITY ${this.#capabilities}` }
  }

  async #begin({ user, passwordHash }: Awaited<ReturnType<LogIn>>): Promise<void> {
    const { budgets, live } = this.#parts
    using held = new DisposableStack()
    const place = await budgets.sessions.enter(holderOf(user), 1)
    if (!place) throw new No('The organization has too many connections', 'LIMIT')
    held.use(place)
    const signedIn = new SignedIn(this.#parts, user, this.#connection, budgets)
    const session = {
      mailbox: user.mailbox,
      passwordHash,
      get selected() {
        return signedIn.selected
      },
      end: (bye: Bye) => this.#end(bye),
    }
    held.use(live.add(session))
    this.#held = held.move()
    this.#user = signedIn
    this.#connection.signedIn(user.mailbox.organizationId)
  }

  #end(bye: Bye): void {
    this.#connection.stop(bye)
    setTimeout(() => void this.#connection.close().catch(() => {}), mostEnding).unref()
  }

  async #sayBye({ message, code }: Bye): Promise<void> {
    try {
      await this.#write(statusLine('*', 'BYE', message, code))
    } catch {
      // The client is gone already.
    }
  }

  async #write(text: string): Promise<void> {
    await this.#connection.output.write(text)
  }
}

/** Of the session itself, after a login. */
const afterLogin = new Set(['COMPRESS'])

/** A client's own word gets into no log. */
function known(name: string, commands: ReadonlyMap<string, unknown>): string {
  return commands.has(name) ? name : 'another'
}

/** What cannot be read is answered; anything else ends the session. */
function unread(error: unknown): Bad {
  if (error instanceof Bad) return error
  throw error
}
