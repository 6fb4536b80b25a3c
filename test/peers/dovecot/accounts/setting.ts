import { chmod, chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateFor } from '#test/sockets/certificate.ts'

/** The id of the user whose Dovecot stores mail. */
export const nobody = 65_534

/** What a Dovecot is to be started with, in a directory that holds its certificate (`dovecot.pem`, `dovecot.key`),
 *  Mailroom's account (`masters`) and, for nobody but `nobody` to write in, `mail`. */
export interface Setting {
  readonly directory: string
  /** For IMAP, at 127.0.0.1. */
  readonly port: number
  /** For doveadm's HTTP, at 127.0.0.1, with the password `of-doveadm`. */
  readonly doveadmPort: number
  readonly database: { readonly host: string; readonly port: string; readonly password: string }
}

export interface Started {
  /** What runs its doveadm, for a shell. */
  readonly doveadm: string
  readonly stop: () => Promise<void>
}

/** A directory for a Dovecot, with all that `Setting` says of it. */
export async function preparedDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-accounts-'))
  await chmod(directory, 0o755)
  await mkdir(join(directory, 'mail'))
  await chown(join(directory, 'mail'), nobody, nobody)
  const { cert, key } = certificateFor('mail.example.test')
  await writeFile(join(directory, 'dovecot.pem'), cert)
  await writeFile(join(directory, 'dovecot.key'), key)
  await writeFile(join(directory, 'masters'), 'mailroom:{PLAIN}of-the-master::::::allow_nets=127.0.0.1/32\n')
  return directory
}

/** What keeps a test's Dovecot in its directory, and lets it listen at its port alone. */
export function ownSettings({ directory, port }: Setting): string {
  return `
base_dir = ${directory}/run
state_dir = ${directory}/run
log_path = ${directory}/log
first_valid_uid = 1
# Who tries wrong passwords has to wait, which this test need not.
auth_failure_delay = 0
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`
}
