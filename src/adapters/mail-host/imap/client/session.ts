import type { ImapServer } from '#/ports/servers.ts'
import { SelectedFolder } from '../folders/selected-folder.ts'
import { ImapConnection, timeouts } from './connection.ts'
import { CommandRefused, ConnectionLost } from './errors.ts'
import { mailbox } from './mailbox-name.ts'

/** Required capabilities (RFC 3501, RFC 4315, RFC 7162). */
const required = ['IMAP4rev1', 'UIDPLUS', 'CONDSTORE']

/** A connection on which the master user acts for one mailbox, and its selected folder. It has one user at a time. */
export class ImapSession {
  readonly connection: ImapConnection
  /** The id of the mailbox. */
  readonly login: string
  /** Whether the server reports expunged messages by uid, also to a session that was not connected then (RFC 7162, section
   *  3.2). */
  readonly qresync: boolean
  /** Since when it is idle, by performance.now(): for the pool. */
  idleSince = 0
  #selected: SelectedFolder | undefined

  private constructor(connection: ImapConnection, login: string, qresync: boolean) {
    this.connection = connection
    this.login = login
    this.qresync = qresync
    connection.onUnsolicited = (data) => this.#selected?.notice(data)
  }

  /** @throws ConnectionLost also if the server lacks a capability, or refuses the master user */
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

  /** The selected folder, as last reported by the server. */
  get selected(): SelectedFolder | undefined {
    return this.#selected
  }

  /** Selects a folder, or polls it if it is selected. Undefined if there is none with that path. */
  async select(path: string): Promise<SelectedFolder | undefined> {
    if (this.#selected?.path !== path) return this.selectAnew(path)
    await this.connection.run(['NOOP'])
    return this.#selected
  }

  /** Unselects: a selected folder may not be deleted. CLOSE would also expunge messages that mail programs have marked.
   *  Without UNSELECT (RFC 3691) it selects the inbox; users of the session do not see that. */
  async unselect(): Promise<void> {
    if (!this.#selected) return
    this.#selected = undefined
    const command = this.connection.can('UNSELECT') ? 'UNSELECT' : 'EXAMINE INBOX'
    await this.connection.run([command], { onData: () => true, timeout: timeouts.wholeFolder })
  }

  /** The same as `select`, with the folder's modification sequence. */
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

/** The required capabilities that the server lacks after the login. */
export function missingOn(connection: ImapConnection): string[] {
  return required.filter(
    (name) => !connection.can(name.toUpperCase()) && !(name === 'CONDSTORE' && connection.can('QRESYNC')),
  )
}

/** Servers older than RFC 5530 send no code for a missing folder. An impossible name counts as missing too. */
const notThere = new Set(['NONEXISTENT', 'TRYCREATE', 'CANNOT', ''])

/** Logs in by SASL PLAIN (RFC 4616), which names both the mailbox and the master user. @throws CommandRefused,
 *  ConnectionLost */
export async function authenticate(connection: ImapConnection, server: ImapServer, login: string): Promise<void> {
  if (!connection.can('AUTH=PLAIN')) throw lost(server, 'The server offers no AUTH=PLAIN')
  const response = Buffer.from(`${login}\0${server.user}\0${server.password}`).toString('base64')
  await connection.run(
    connection.can('SASL-IR') ? [`AUTHENTICATE PLAIN ${response}`] : ['AUTHENTICATE PLAIN', { continuation: response }],
    { timeout: timeouts.login },
  )
  await connection.run(['CAPABILITY'])
}
