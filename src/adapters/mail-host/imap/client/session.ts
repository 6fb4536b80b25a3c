import type { ImapServer } from '#/ports/servers.ts'
import { SelectedFolder } from '../folders/selected-folder.ts'
import { ImapConnection, timeouts } from './connection.ts'
import { CommandRefused, ConnectionLost } from './errors.ts'
import { mailbox } from './mailbox-name.ts'

/** Capabilities without which nothing works (RFC 3501, RFC 4315, RFC 7162). */
const required = ['IMAP4rev1', 'UIDPLUS', 'CONDSTORE']

/** A connection on which the master user acts for one mailbox, with the folder that is selected. It has one user at a time. */
export class ImapSession {
  readonly connection: ImapConnection
  /** Whose mailbox it is. */
  readonly login: string
  /** Whether the server names the messages that were expunged by uid, also to a session that was not there (RFC 7162, section
   *  3.2). */
  readonly qresync: boolean
  /** Since when nobody uses it, by performance.now(): for the pool. */
  idleSince = 0
  #selected: SelectedFolder | undefined

  private constructor(connection: ImapConnection, login: string, qresync: boolean) {
    this.connection = connection
    this.login = login
    this.qresync = qresync
    connection.onUnsolicited = (data) => this.#selected?.notice(data)
  }

  /** @throws ConnectionLost also where the server lacks a capability, or refuses the master user */
  static async open(server: ImapServer, login: string): Promise<ImapSession> {
    const connection = await ImapConnection.open(server)
    try {
      await authenticate(connection, server, login)
      const missing = missingOn(connection)
      if (missing.length > 0) throw lost(server, `The server has no ${missing.join(' and no ')}`)
      const qresync = connection.can('QRESYNC')
      if (connection.can('ENABLE')) await connection.run([`ENABLE ${qresync ? 'QRESYNC' : 'CONDSTORE'}`])
      return new ImapSession(connection, login, qresync)
    } catch (error) {
      connection.close()
      throw error instanceof CommandRefused ? lost(server, error.reason, error) : error
    }
  }

  /** The folder that is selected, as it was when the server last spoke of it. */
  get selected(): SelectedFolder | undefined {
    return this.#selected
  }

  /** Selects a folder, or asks what is new in it where it is selected. Undefined where there is none of that path. */
  async select(path: string): Promise<SelectedFolder | undefined> {
    if (this.#selected?.path !== path) return this.selectAnew(path)
    await this.connection.run(['NOOP'])
    return this.#selected
  }

  /** Selects none: a folder that is selected may not be deleted. CLOSE would also expunge what mail programs have marked. Without
   *  UNSELECT (RFC 3691) the inbox is selected instead, unbeknown to those who use the session. */
  async unselect(): Promise<void> {
    if (!this.#selected) return
    this.#selected = undefined
    const command = this.connection.can('UNSELECT') ? 'UNSELECT' : 'EXAMINE INBOX'
    await this.connection.run([command], { onData: () => true, timeout: timeouts.wholeFolder })
  }

  /** As `select`, and learns the folder's modification sequence. */
  async selectAnew(path: string): Promise<SelectedFolder | undefined> {
    this.#selected = undefined
    const folder = new SelectedFolder(path)
    try {
      const options = { onData: folder.learn.bind(folder), timeout: timeouts.wholeFolder }
      await this.connection.run([`SELECT ${mailbox(path)}${this.qresync ? '' : ' (CONDSTORE)'}`], options)
    } catch (error) {
      if (error instanceof CommandRefused && notThere.has(error.code)) return undefined
      throw error
    }
    this.#selected = folder
    return folder
  }
}

function lost({ host, port }: ImapServer, reason: string, cause?: unknown): ConnectionLost {
  return new ConnectionLost(`${host}:${port}`, reason, { cause })
}

/** The required capabilities that the server does not name after the login. */
export function missingOn(connection: ImapConnection): string[] {
  return required.filter(
    (name) => !connection.can(name.toUpperCase()) && !(name === 'CONDSTORE' && connection.can('QRESYNC')),
  )
}

/** Servers older than RFC 5530 give no code with a folder that is not there. A folder that cannot be is not there either. */
const notThere = new Set(['NONEXISTENT', 'TRYCREATE', 'CANNOT', ''])

/** Logs in by SASL PLAIN (RFC 4616), which names both whose mailbox it is and who acts for them.
 *  @throws CommandRefused, ConnectionLost */
export async function authenticate(connection: ImapConnection, server: ImapServer, login: string): Promise<void> {
  if (!connection.can('AUTH=PLAIN')) throw lost(server, 'The server offers no AUTH=PLAIN')
  const response = Buffer.from(`${login}\0${server.user}\0${server.password}`).toString('base64')
  await connection.run(
    connection.can('SASL-IR') ? [`AUTHENTICATE PLAIN ${response}`] : ['AUTHENTICATE PLAIN', { continuation: response }],
  )
  await connection.run(['CAPABILITY'])
}
