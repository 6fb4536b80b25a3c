import type { Db } from '#/db/schema.ts'
import type { Helpful, TryMailServer } from '#/ports/mail-server-trial.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const check = 'mail host'
const without: Readonly<Record<Helpful, string>> = {
  QRESYNC: 'folders that are read as conversations are read anew more often',
  'STATUS=SIZE or QUOTA': 'the storage that mail takes is not known',
}

/** Whether the IMAP server lets us in, in the mailbox that was here first, and does what mail needs. */
export async function mailServerFinding(server: ImapServer, db: Db, tryMailServer: TryMailServer): Promise<Finding> {
  const at = `${server.host}:${server.port}`
  const trial = await tryMailServer(server, await anyMailbox(db))
  switch (trial.ended) {
    case 'unreachable':
      return problem(
        check,
        `${at}: ${trial.why}`,
        'See that the server of MAILROOM_IMAP_URL runs and takes connections',
      )
    case 'refused':
      return problem(
        check,
        `${at} does not let Mailroom in: ${trial.why}`,
        'See that MAILROOM_IMAP_URL has the name and the password of its master user, and that it knows mailboxes by their ids (docs/dovecot.md)',
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
        `${at} answers; whether it lets Mailroom in can be tried in a mailbox, and there is none yet`,
        'Run `mailroom doctor` again once there is one',
      )
    case 'well': {
      const { lacking } = trial
      if (lacking.length === 0) return ok(check, `${at} answers, lets Mailroom in and does all that it needs`)
      const losses = lacking.map((what) => `without ${what} ${without[what]}`)
      return warning(
        check,
        `${at} answers and lets Mailroom in; ${losses.join(', ')}`,
        'Turn that on where the server can',
      )
    }
  }
}

/** By its id. None before migrations. */
async function anyMailbox(db: Db): Promise<string | undefined> {
  const oldest = db.selectFrom('mailboxes').select('id').orderBy('created_at').limit(1)
  return (await oldest.executeTakeFirst().catch(() => undefined))?.id
}
