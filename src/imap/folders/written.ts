import type { Session } from '../session/session.ts'

/** Whether names of mailboxes are written in UTF-8 for this client (RFC 9051, section 5.1; RFC 6855). */
export function usesUtf8({ enabled }: Session): boolean {
  return enabled.has('IMAP4rev2') || enabled.has('UTF8=ACCEPT')
}
