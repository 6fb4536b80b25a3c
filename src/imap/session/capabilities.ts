import { LIMITS } from '#/smtp/connection/limits.ts'
import { mechanisms } from '#/smtp/submission/sasl.ts'
import type { Connection } from './connection.ts'

/** What is announced once a client has signed in. */
const extensions = [
  'IMAP4rev2 IMAP4rev1 LITERAL+ SASL-IR ID ENABLE NAMESPACE UNSELECT IDLE CHILDREN LIST-EXTENDED LIST-STATUS LIST-MYRIGHTS',
  'SPECIAL-USE CREATE-SPECIAL-USE STATUS=SIZE ACL RIGHTS=texk UIDPLUS MULTIAPPEND MOVE REPLACE CONDSTORE QRESYNC ESEARCH',
  'SEARCHRES WITHIN PARTIAL SORT SORT=DISPLAY THREAD=REFERENCES THREAD=REFS THREAD=ORDEREDSUBJECT BINARY PREVIEW OBJECTID',
  `SAVEDATE APPENDLIMIT=${LIMITS.messageSize} QUOTA QUOTA=RES-STORAGE COMPRESS=DEFLATE UTF8=ACCEPT NOTIFY INPROGRESS`,
].join(' ')

/** The capabilities of a client that has signed in (RFC 9051, section 6.1.1). */
export function capabilitiesAfter({ isCompressed }: Pick<Connection, 'isCompressed'>): string {
  return isCompressed ? extensions.replace(' COMPRESS=DEFLATE', '') : extensions
}

/** The capabilities before that: how to sign in, or that TLS comes first. */
export function capabilitiesBefore({ canStartTls }: Pick<Connection, 'canStartTls'>, maySignIn: boolean): string {
  const tls = canStartTls ? ' STARTTLS' : ''
  const login = maySignIn ? `AUTH=${mechanisms.replaceAll(' ', ' AUTH=')}` : 'LOGINDISABLED'
  return `IMAP4rev2 IMAP4rev1 LITERAL+ SASL-IR ID ENABLE${tls} ${login}`
}
