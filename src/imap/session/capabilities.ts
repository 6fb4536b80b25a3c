import { LIMITS } from '#/inbound/connection/limits.ts'
import { mechanisms } from '#/submission/sasl.ts'
import type { Connection } from './connection.ts'

/** What is announced once a client has signed in, with the commands without which it is not: what is announced works. */
const extensions: readonly (readonly [capability: string, commands: string])[] = [
  ['IMAP4rev2', 'SELECT FETCH STORE COPY MOVE SEARCH APPEND EXPUNGE IDLE UNSELECT NAMESPACE LIST STATUS'],
  ['IMAP4rev1', 'LIST'],
  ['LITERAL+', 'LIST'],
  ['SASL-IR', 'LIST'],
  ['ID', 'LIST'],
  ['ENABLE', 'ENABLE'],
  ['NAMESPACE', 'NAMESPACE'],
  ['UNSELECT', 'UNSELECT'],
  ['IDLE', 'IDLE'],
  ['CHILDREN', 'LIST'],
  ['LIST-EXTENDED', 'LIST'],
  ['LIST-STATUS', 'LIST'],
  ['LIST-MYRIGHTS', 'LIST'],
  ['SPECIAL-USE', 'LIST'],
  ['CREATE-SPECIAL-USE', 'CREATE'],
  ['STATUS=SIZE', 'STATUS'],
  ['ACL', 'GETACL'],
  ['RIGHTS=texk', 'GETACL'],
  ['UIDPLUS', 'APPEND COPY UID EXPUNGE'],
  ['MULTIAPPEND', 'APPEND'],
  ['MOVE', 'MOVE'],
  ['REPLACE', 'REPLACE'],
  ['CONDSTORE', 'SELECT FETCH STORE'],
  ['QRESYNC', 'SELECT FETCH STORE'],
  ['ESEARCH', 'SEARCH'],
  ['SEARCHRES', 'SEARCH'],
  ['WITHIN', 'SEARCH'],
  ['PARTIAL', 'SEARCH'],
  ['SORT', 'SORT'],
  ['SORT=DISPLAY', 'SORT'],
  ['THREAD=REFERENCES', 'THREAD'],
  ['THREAD=REFS', 'THREAD'],
  ['THREAD=ORDEREDSUBJECT', 'THREAD'],
  ['BINARY', 'FETCH APPEND'],
  ['PREVIEW', 'FETCH'],
  ['OBJECTID', 'FETCH SEARCH'],
  ['SAVEDATE', 'FETCH SEARCH'],
  [`APPENDLIMIT=${LIMITS.messageSize}`, 'APPEND'],
  ['QUOTA', 'GETQUOTA'],
  ['QUOTA=RES-STORAGE', 'GETQUOTA'],
  ['COMPRESS=DEFLATE', 'LIST'],
  ['UTF8=ACCEPT', 'APPEND'],
  ['NOTIFY', 'NOTIFY'],
  ['INPROGRESS', 'SEARCH'],
]

/** The capabilities of a client that has signed in (RFC 9051, section 6.1.1). */
export function capabilitiesAfter(commands: ReadonlyMap<string, unknown>, { isCompressed }: { isCompressed: boolean }) {
  const has = (needed: string) => names(needed).every((name) => commands.has(name))
  return extensions
    .filter(([capability, needed]) => has(needed) && !(isCompressed && capability === 'COMPRESS=DEFLATE'))
    .map(([capability]) => capability)
    .join(' ')
}

/** `UID EXPUNGE` is one name. */
function names(list: string): string[] {
  return list.match(/UID \S+|\S+/g) ?? []
}

/** The capabilities before that: how to sign in, or that TLS comes first. */
export function capabilitiesBefore(
  commands: ReadonlyMap<string, unknown>,
  { canStartTls }: Pick<Connection, 'canStartTls'>,
  maySignIn: boolean,
): string {
  const revisions = commands.has('FETCH') ? 'IMAP4rev2 IMAP4rev1' : 'IMAP4rev1'
  const tls = canStartTls ? ' STARTTLS' : ''
  const login = maySignIn
    ? mechanisms
        .split(' ')
        .map((mechanism) => ` AUTH=${mechanism}`)
        .join('')
    : ' LOGINDISABLED'
  return `${revisions} LITERAL+ SASL-IR ID ENABLE${tls}${login}`
}
