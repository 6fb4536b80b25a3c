import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'
import type { Listening, TlsFiles } from '#/base/network/listening.ts'
import type { AttemptsKey } from '#/people/passwords/attempts.ts'
import { Certificate } from '#/smtp/connection/certificate.ts'
import { type SmtpConfig, SmtpListener } from '#/smtp/protocol/smtp-listener.ts'
import { PasswordAuth, type PasswordAuthDependencies, type Submit, unauthenticated } from './password-auth.ts'
import { type SubmitterDependencies, submitterFor } from './submitter.ts'

export interface SubmissionSettings {
  /** With STARTTLS. */
  readonly submission: Listening | undefined
  readonly submissionTls: Listening | undefined
  readonly hostname: string
  readonly tls: TlsFiles | undefined
}

export interface SubmissionDependencies extends SubmitterDependencies {
  readonly key: AttemptsKey
  readonly observe?: PasswordAuthDependencies['observe']
  readonly clock: Clock
  readonly config: SubmissionSettings
  readonly log: Logger
}

/** The actual ports; for a configured 0 any free one. */
export interface Submission extends AsyncDisposable {
  readonly starttls: Listening | undefined
  readonly tls: Listening | undefined
}

/** Memory for arriving messages at each port, in octets. Our members send less than the world does. */
const memory = 64 * 1024 * 1024

/** Message submission (RFC 6409; docs/reference/submission.md), until it is disposed. */
export async function startSubmission({
  config,
  key,
  clock,
  observe,
  ...parts
}: SubmissionDependencies): Promise<Submission> {
  const { db, log, hostname } = parts
  const submit: Submit = (account, sender) => submitterFor(parts, account, sender)
  const auth = new PasswordAuth({ db, key, submit, log, observe })
  const tls = config.tls && (await Certificate.open(config.tls, clock, log))
  await using starting = new AsyncDisposableStack()
  const open = async (at: Listening | undefined, how: Pick<SmtpConfig, 'implicitTls'> = {}) => {
    if (!at) return undefined
    const smtp = { hostname, tls, auth, ...how, limits: { memory } }
    const listener = starting.use(new SmtpListener(smtp, unauthenticated, clock, log))
    await listener.listen(at.host, at.port)
    return { host: at.host, port: listener.port }
  }
  const starttls = await open(config.submission)
  const implicit = await open(config.submissionTls, { implicitTls: true })
  const started = starting.move()
  return { starttls, tls: implicit, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
