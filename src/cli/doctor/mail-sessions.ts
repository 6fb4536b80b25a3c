import type { Config } from '#/config/config.ts'
import type { MailServerControl } from '#/ports/mail-server-control.ts'
import { errorText } from '../error-text.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const check = 'mail sessions'

/** Checks that IMAP sessions can be ended, and deleted mailboxes purged. No finding if mail is in the database. */
export async function mailSessionsFindings(
  { secrets: { imap, doveadm } }: Config,
  serverControl: MailServerControl | undefined,
): Promise<Finding[]> {
  if (!imap) return []
  if (!doveadm || !serverControl) {
    const found = 'do not end with a suspension or a new password: MAILROOM_DOVEADM_URL is not set'
    return [warning(check, found, 'Set it if the mail server is Dovecot (docs/dovecot.md)')]
  }
  try {
    await serverControl.try()
    return [ok(check, `doveadm at ${doveadm.origin} ends them, and purges`)]
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const fix = 'Check that MAILROOM_DOVEADM_URL has the address and the password of mailroom-doveadm.conf.ext'
    return [problem(check, errorText(why), fix)]
  }
}
