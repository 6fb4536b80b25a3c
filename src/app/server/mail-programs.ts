import type { Config } from '#/app/config/config.ts'
import type { Metrics } from '#/app/metrics/metrics.ts'
import type { Keyring } from '#/base/secrets/keyring.ts'
import { type Imap, type ImapServerDependencies, startImap } from '#/imap/imap.ts'
import { attemptsKey } from '#/people/passwords/attempts.ts'
import { type Submission, type SubmissionDependencies, startSubmission } from '#/smtp/submission/submission.ts'

interface MailPrograms {
  readonly submission: Submission | undefined
  readonly imap: Imap | undefined
}

type Given = Omit<SubmissionDependencies & ImapServerDependencies, 'key' | 'observe' | 'config' | 'db' | 'hostname'>

/** Serves mail programs until `starting` is disposed: they sign in to both with the same passwords, within the same limits. */
export async function startMailPrograms(
  config: Config,
  { keyring, metrics, ...given }: Given & { keyring: Keyring; metrics: Metrics | undefined },
  starting: AsyncDisposableStack,
): Promise<MailPrograms> {
  const parts = {
    ...{ ...given, config, db: given.database.db, hostname: config.hostname, key: attemptsKey(keyring) },
    observe: metrics && ((outcome: 'accepted' | 'refused' | 'throttled') => metrics.logins.inc({ outcome })),
  }
  const submission = config.roles.has('submission') ? starting.use(await startSubmission(parts)) : undefined
  const imap = config.roles.has('imap') ? starting.use(await startImap(parts)) : undefined
  metrics?.gauge(
    { name: 'mailroom_imap_sessions', help: 'Connections of mail programs that have signed in over IMAP' },
    () => imap?.signedIn() ?? 0,
  )
  return { submission, imap }
}
