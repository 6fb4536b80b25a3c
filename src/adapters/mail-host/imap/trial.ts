import type { Helpful, MailServerTrial } from '#/ports/mail-server-trial.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { ImapConnection } from './client/connection.ts'
import { CommandRefused, ConnectionLost } from './client/errors.ts'
import { authenticate, missingOn } from './client/session.ts'
import { SelectedFolder } from './folders/selected-folder.ts'

/** How long a server may be silent when it opens a folder that was unused for long, in milliseconds. */
const mostSilence = 10_000

const helpful: readonly Helpful[] = ['QRESYNC', 'STATUS=SIZE or QUOTA']

/** Logs in as the mail host does, and checks that the server has what it needs (docs/mail-host.md). */
export async function tryServer(server: ImapServer, login: string | undefined): Promise<MailServerTrial> {
  try {
    const connection = await ImapConnection.open(server)
    try {
      return login === undefined ? { ended: 'without a mailbox' } : await tryMailbox(connection, server, login)
    } finally {
      connection.close()
    }
  } catch (error) {
    const { message, cause } = error as Error
    const reason = error instanceof ConnectionLost ? error.reason : message
    return { ended: 'unreachable', why: cause instanceof Error ? cause.message : reason }
  }
}

async function tryMailbox(connection: ImapConnection, server: ImapServer, login: string): Promise<MailServerTrial> {
  if (!connection.can('AUTH=PLAIN')) return unfit(['AUTH=PLAIN'])
  try {
    await authenticate(connection, server, login)
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error
    return { ended: 'refused', why: error.reason }
  }
  const missing = missingOn(connection)
  if (missing.length > 0) return unfit(missing)
  const inbox = new SelectedFolder('INBOX')
  await connection.run(['SELECT INBOX'], { onData: inbox.learn.bind(inbox), timeout: mostSilence })
  if (!inbox.keeps('mailroom')) return unfit(['room for keywords of ours: \\* is not in its PERMANENTFLAGS'])
  const lacking = helpful.filter((what) => !what.split(' or ').some((name) => connection.can(name)))
  return { ended: 'well', lacking }
}

function unfit(lacking: readonly string[]): MailServerTrial {
  return { ended: 'unfit', why: `it has no ${lacking.join(' and no ')}` }
}
