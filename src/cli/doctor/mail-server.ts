import type { Db } from '#/db/schema.ts'
import type { Helpful, TryMailServer } from '#/ports/mail-server-trial.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const check = 'mail host'
const without: Readonly<Record<Helpful, string>> = {
  QRESYNC: 'folders that are shown as conversations are read again more often',
  'STATUS=SIZE or QUOTA': 'the storage in use is unknown',
}

/** Checks that we can log in to the IMAP server, with the oldest mailbox, and that it has the capabilities we need. */
export async function mailServerFinding(server: ImapServer, db: Db, tryMailServer: TryMailServer): Promise<Finding> {
  const at = `${server.host}:${server.port}`
  const trial = await tryMailServer(server, await anyMailbox(db))
  switch (trial.ended) {
    case 'unreachable':
      return problem(
        check,
        `${at}: ${trial.why}`,
        'Check that the server of MAILROOM_IMAP_URL runs and accepts connections',
      )
    case 'refused':
      return problem(
        check,
        `${at} refuses the login: ${trial.why}`,
        'Check that MAILROOM_IMAP_URL has the name and the password of its master user, and that its mailboxes are named by their ids (docs/dovecot.md)',
      )
    case 'unfit':
      return problem(
        check,
        `${at}: ${trial.why}`,
        'Turn that on, or keep mail on a server that has it (docs/mail-host.md)',
      )
    case 'without a mailbox':
      return warning(
        check,
        `${at} answers; a login can be tried only with a mailbox, and there is none yet`,
        'Run `mailroom doctor` again once there is a mailbox',
      )
    case 'well': {
      const { lacking } = trial
      if (lacking.length === 0) return ok(check, `${at} accepts the login and has all capabilities`)
      const losses = lacking.map((what) => `without ${what} ${without[what]}`)
      return warning(check, `${at} accepts the login; ${losses.join(', ')}`, 'Turn that on if the server has it')
    }
  }
}

/** The id of the oldest mailbox. Undefined before migrations. */
async function anyMailbox(db: Db): Promise<string | undefined> {
  const oldest = db.selectFrom('mailboxes').select('id').orderBy('created_at').limit(1)
  return (await oldest.executeTakeFirst().catch(() => undefined))?.id
}
