import type { Config } from '#/config/config.ts'
import type { MailServerControl } from '#/ports/mail-server-control.ts'
import { errorText } from '../error-text.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const check = 'mail sessions'

/** Whether sessions of mail programs can be ended, and deleted mailboxes purged. Nothing where mail is in the database. */
export async function mailSessionsFindings(
  { secrets: { imap, doveadm } }: Config,
  serverControl: MailServerControl | undefined,
): Promise<Finding[]> {
  if (!imap) return []
  if (!doveadm || !serverControl) {
    const found = 'of mail programs outlive a suspension and a new password: MAILROOM_DOVEADM_URL is not set'
    return [warning(check, found, 'Set it where the mail server is Dovecot (docs/dovecot.md)')]
  }
  try {
    await serverControl.try()
    return [ok(check, `doveadm at ${doveadm.origin} ends them, and purges`)]
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const fix = 'See that MAILROOM_DOVEADM_URL has the address and the password of mailroom-doveadm.conf.ext'
    return [problem(check, errorText(why), fix)]
  }
}
