import type { Session } from '../session/session.ts'
import { mailboxName } from '../wire/format.ts'

/** Whether names of mailboxes are written in UTF-8 for this client (RFC 9051, section 5.1; RFC 6855). */
function usesUtf8({ enabled }: Session): boolean {
  return enabled.has('IMAP4rev2') || enabled.has('UTF8=ACCEPT')
}

/** The name of a mailbox as it is written for this client. */
export function written(session: Session, name: string): string {
  return mailboxName(name, usesUtf8(session))
}

/** LIST of a mailbox that a command has named, for clients of IMAP4rev2: with the name that they gave if it is written otherwise here, as INBOX
 *  in another case and what is not in NFC (RFC 9051, sections 6.3.2, 6.3.4 and 6.3.6). */
export function namedAs(session: Session, name: string, given: string): string {
  const [now, old] = [name, given].map((one) => written(session, one))
  return `LIST () "/" ${now}${old === now ? '' : ` ("OLDNAME" (${old}))`}`
}
