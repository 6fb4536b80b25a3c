import type { ImapServer } from '#/config/imap-url.ts'
import { Connection, patience } from './connection.ts'
import { SelectedFolder } from './selected-folder.ts'
import { CommandRefused, ConnectionLost } from './trouble.ts'
import { quoted } from './words.ts'

/** What cannot be done without (RFC 3501, RFC 4315, RFC 7162). */
const needed = ['IMAP4rev1', 'UIDPLUS', 'CONDSTORE']

/** A connection on which the master user acts for one mailbox, with the folder that is selected. Used by one at a time. */
export class Session {
  readonly connection: Connection
  /** Whose mailbox it is. */
  readonly login: string
  /** Tells which messages went, by uid, also to whoever was not connected (RFC 7162, section 3.2). */
  readonly qresync: boolean
  #selected: SelectedFolder | undefined

  private constructor(connection: Connection, login: string, qresync: boolean) {
    this.connection = connection
    this.login = login
    this.qresync = qresync
    connection.notice = (data) => this.#selected?.notice(data)
  }

  /** @throws ConnectionLost also where the server lacks what is needed, or refuses the master user */
  static async open(server: ImapServer, login: string): Promise<Session> {
    const connection = await Connection.open(server)
    try {
      await authenticate(connection, server, login)
      const lacking = lackingOn(connection)
      if (lacking.length > 0) throw new ConnectionLost(`The mail server has no ${lacking.join(' and no ')}`)
      const qresync = connection.can('QRESYNC')
      if (connection.can('ENABLE')) await connection.run([`ENABLE ${qresync ? 'QRESYNC' : 'CONDSTORE'}`])
      return new Session(connection, login, qresync)
    } catch (error) {
      connection.close()
      throw error instanceof CommandRefused ? new ConnectionLost(error.message, { cause: error }) : error
    }
  }

  /** The folder that is selected, as it was when last looked at. */
  get selected(): SelectedFolder | undefined {
    return this.#selected
  }

  /** Selects a folder, or looks at what came of it where it is selected. Undefined where there is none of that name. */
  async select(path: string): Promise<SelectedFolder | undefined> {
    if (this.#selected?.path !== path) return this.selectAnew(path)
    await this.connection.run(['NOOP'])
    return this.#selected
  }

  /** Selects none: a folder that is selected may not be deleted. */
  async leave(): Promise<void> {
    if (!this.#selected) return
    this.#selected = undefined
    // Nothing is marked as deleted: what goes is expunged at once.
    await this.connection.run(['CLOSE'], undefined, patience.whole)
  }

  /** As `select`, and learns the folder's modification sequence. */
  async selectAnew(path: string): Promise<SelectedFolder | undefined> {
    this.#selected = undefined
    const folder = new SelectedFolder(path)
    try {
      const command = [`SELECT ${quoted(path)}${this.qresync ? '' : ' (CONDSTORE)'}`]
      await this.connection.run(command, (data) => folder.learn(data), patience.whole)
    } catch (error) {
      if (error instanceof CommandRefused && missing.has(error.code)) return undefined
      throw error
    }
    this.#selected = folder
    return folder
  }
}

/** What of that the server does not name, once it has let us in. */
export function lackingOn(connection: Connection): string[] {
  return needed.filter(
    (name) => !connection.can(name.toUpperCase()) && !(name === 'CONDSTORE' && connection.can('QRESYNC')),
  )
}

/** Servers older than RFC 5530 give no code with a folder that is not there. One that can never be is not there either. */
const missing = new Set(['NONEXISTENT', 'TRYCREATE', 'CANNOT', ''])

/** SASL PLAIN (RFC 4616) names both whose mailbox it is and who acts for them.
 *  @throws CommandRefused, ConnectionLost */
export async function authenticate(
  connection: Connection,
  { user, password }: ImapServer,
  login: string,
): Promise<void> {
  if (!connection.can('AUTH=PLAIN')) throw new ConnectionLost('The mail server offers no AUTH=PLAIN')
  const response = Buffer.from(`${login}\0${user}\0${password}`).toString('base64')
  await connection.run(
    connection.can('SASL-IR') ? [`AUTHENTICATE PLAIN ${response}`] : ['AUTHENTICATE PLAIN', { asked: response }],
  )
  await connection.run(['CAPABILITY'])
}
