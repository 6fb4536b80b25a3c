import type { Listening, TlsFiles } from '#/base/network/listening.ts'
import type { ImapSettings } from '#/imap/imap.ts'
import type { SubmissionSettings } from '#/smtp/submission/submission.ts'
import { parseImapProxies } from './networks.ts'
import type { Reader } from './reader.ts'
import type { Role } from './roles.ts'
import { parseListening } from './values.ts'

export type MailPrograms = Omit<SubmissionSettings & ImapSettings, 'hostname' | 'tls'>

interface Settings extends MailPrograms {
  readonly roles: ReadonlySet<Role>
  readonly tls: TlsFiles | undefined
}

/** Where mail programs submit and read mail. IMAP has its usual ports where there is a certificate; else one that programs on this
 *  machine reach alone, since passwords are not sent in the clear. */
export function readMailPrograms(
  read: Reader,
  host: string,
  { hasCertificate }: { hasCertificate: boolean },
): MailPrograms {
  const onHost = (text: string) => parseListening(text, host)
  const usual = (port: number): Listening | undefined => (hasCertificate ? { host, port } : undefined)
  return {
    submission: read.value('MAILROOM_SUBMISSION_PORT', onHost),
    submissionTls: read.value('MAILROOM_SUBMISSION_TLS_PORT', onHost),
    imap: read.value('MAILROOM_IMAP_PORT', onHost) ?? usual(143) ?? { host: '127.0.0.1', port: 1143 },
    imapTls: read.value('MAILROOM_IMAPS_PORT', onHost) ?? usual(993),
    imapProxies: read.value('MAILROOM_IMAP_PROXIES', parseImapProxies) ?? [],
  }
}

/** Passwords need TLS, and a process that is for submission alone needs a port. */
export function mailProgramProblems(config: Settings, read: Reader): string[] {
  return [...missingForSubmission(config, read), ...missingForImap(config, read)]
}

function missingForSubmission(config: Settings, read: Reader): string[] {
  const { roles, submission, submissionTls } = config
  if (!roles.has('submission')) return []
  const found: string[] = []
  const named = submissionTls ? 'MAILROOM_SUBMISSION_TLS_PORT' : 'MAILROOM_SUBMISSION_PORT'
  if ((submission || submissionTls) && hasNoCertificate(config, read))
    found.push(`MAILROOM_TLS_CERT and MAILROOM_TLS_KEY are not set although ${named} is: submission needs TLS`)
  if (roles.size === 1 && !submission && !submissionTls)
    found.push('MAILROOM_SUBMISSION_PORT is not set although MAILROOM_ROLES is submission: set the port, such as 587')
  return found
}

/** Without a certificate nobody but programs on this machine could sign in. */
function missingForImap(config: Settings, read: Reader): string[] {
  const { roles, imapTls } = config
  if (!roles.has('imap') || !imapTls || !hasNoCertificate(config, read)) return []
  return ['MAILROOM_TLS_CERT and MAILROOM_TLS_KEY are not set although MAILROOM_IMAPS_PORT is: it needs TLS']
}

/** With one of the two files there is a problem of its own. */
function hasNoCertificate({ tls }: Settings, read: Reader): boolean {
  return !tls && !read.isSet('MAILROOM_TLS_CERT') && !read.isSet('MAILROOM_TLS_KEY')
}
