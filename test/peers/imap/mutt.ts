import type { Person } from './person.ts'
import { Terminal } from './terminal.ts'

/** Starts mutt, or neomutt, in INBOX over STARTTLS, where it presses these keys, as its `push` has them. */
export async function mutt(person: Person, program: 'mutt' | 'neomutt', ...keys: readonly string[]): Promise<Terminal> {
  const { port, address, password, certificate } = person.account
  const pushed = keys.join('').replaceAll('"', '\\"')
  const rc = await person.file(
    'muttrc',
    `
set folder="imap://localhost:${port}/"
set spoolfile="imap://localhost:${port}/INBOX"
set postponed="=Drafts"
set imap_user="${address}"
set imap_pass="${password}"
set imap_idle=yes
set timeout=1
set mail_check=1
set ssl_force_tls=yes
set certificate_file="${certificate}"
set editor="echo A draft >>"
set record=""
set confirmappend=no
set confirmcreate=no
set delete=yes
set move=no
set mark_old=no
set beep=no
push "${pushed}"
`,
  )
  return new Terminal(person, `${program} -n -F ${rc}`)
}

/** Narrows the list to the messages with this subject. */
export const only = (subject: string) => `<limit>~s ${subject}<enter>`
