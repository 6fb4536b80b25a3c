import type { Config } from '#/config/config.ts'
import type { Admission } from '#/inbound/admit.ts'
import { composerWith } from '#/outbound/composer.ts'
import { Dispatch } from '#/outbound/dispatch.ts'
import { blinding } from '#/sending/sealed.ts'
import { attemptsKey } from '#/submission/attempts.ts'
import { type Submission, startSubmission } from '#/submission/submission.ts'
import type { Observed, Parts, Shared } from './parts.ts'
import { mailKeyFor, signingKeysFor } from './worker.ts'

interface Ours {
  readonly admission: Admission
  readonly wake: () => void
}

/** Takes mail from mail programs, where the configuration says at which ports. */
export async function submissionFor(
  config: Config,
  parts: Parts,
  { admission, wake, metrics, ...shared }: Shared & Pick<Observed, 'metrics'> & Ours,
): Promise<Submission> {
  const { clock, log, relay, keyring, time } = parts
  const { db } = parts.database
  const signingKeys = signingKeysFor(parts)
  const dispatch = new Dispatch({
    ...{ db, ...shared, relay, time, wake, mailKey: mailKeyFor(parts), blind: blinding(keyring) },
    composer: composerWith(signingKeys),
  })
  const { hostname } = config
  return await startSubmission({
    ...{ db, ...shared, admission, dispatch, signingKeys, hostname, clock, config, log },
    key: attemptsKey(keyring),
    observe: metrics && ((outcome) => metrics.logins.inc({ outcome })),
  })
}
