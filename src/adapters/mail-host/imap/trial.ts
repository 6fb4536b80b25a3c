import type { ImapServer } from '#/config/imap-url.ts'
import type { Helpful, MailServerTrial } from '#/ports/mail-server-trial.ts'
import { Connection } from './connection.ts'
import { SelectedFolder } from './selected-folder.ts'
import { authenticate, lackingOn } from './session.ts'
import { CommandRefused } from './trouble.ts'

/** For how long a server may be silent over a folder that nobody has opened for long, in milliseconds. */
const mostSilence = 10_000

const helpful: readonly Helpful[] = ['QRESYNC', 'STATUS=SIZE or QUOTA']

/** Logs in as mail does, and looks whether all is there that mail needs (docs/mail-host.md). Whoever is silent meanwhile is
 *  given up. */
export async function tryServer(server: ImapServer, login: string | undefined): Promise<MailServerTrial> {
  try {
    const connection = await Connection.open(server)
    try {
      return login === undefined ? { ended: 'without a mailbox' } : await tryMailbox(connection, server, login)
    } finally {
      connection.close()
    }
  } catch (error) {
    const { message, cause } = error as Error
    return { ended: 'unreachable', why: cause instanceof Error ? cause.message : message }
  }
}

async function tryMailbox(connection: Connection, server: ImapServer, login: string): Promise<MailServerTrial> {
  if (!connection.can('AUTH=PLAIN')) return unfit(['AUTH=PLAIN'])
  try {
    await authenticate(connection, server, login)
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error
    return { ended: 'refused', why: error.message }
  }
  const missing = lackingOn(connection)
  if (missing.length > 0) return unfit(missing)
  const inbox = new SelectedFolder('INBOX')
  await connection.run(['SELECT INBOX'], (data) => inbox.learn(data), mostSilence)
  if (!inbox.keeps('mailroom')) return unfit(['room for keywords of ours: \\* is not in its PERMANENTFLAGS'])
  const lacking = helpful.filter((what) => !what.split(' or ').some((name) => connection.can(name)))
  return { ended: 'well', lacking }
}

function unfit(lacking: readonly string[]): MailServerTrial {
  return { ended: 'unfit', why: `it has no ${lacking.join(' and no ')}` }
}
