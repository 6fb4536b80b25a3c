import type { Logger } from 'pino'
import type { Config, Listening } from '#/config/config.ts'
import { Certificate } from '#/inbound/connection/certificate.ts'
import { LIMITS } from '#/inbound/connection/limits.ts'
import type { Named } from '#/inbound/smtp/envelope.ts'
import type { MailHandler } from '#/inbound/smtp/mail-handler.ts'
import { type SmtpConfig, SmtpListener } from '#/inbound/smtp/smtp-listener.ts'
import type { AttemptsKey } from '#/passwords/attempts.ts'
import type { Clock } from '#/ports/clock.ts'
import { PasswordAuth, type PasswordAuthParts, type Submit, trustedProxy, unauthenticated } from './password-auth.ts'
import { type SubmitterParts, submitterFor } from './submitter.ts'

export interface SubmissionParts extends SubmitterParts {
  readonly key: AttemptsKey
  readonly observe?: PasswordAuthParts['observe']
  readonly clock: Clock
  readonly config: Pick<Config, 'submission' | 'submissionTls' | 'submissionProxy' | 'hostname' | 'tls'>
  readonly log: Logger
}

/** The actual ports; for a configured 0 any free one. */
export interface Submission extends AsyncDisposable {
  readonly starttls: Listening | undefined
  readonly tls: Listening | undefined
  readonly proxied: Listening | undefined
}

/** Memory for arriving messages at each port, in octets. Our members send less than the world does. */
const memory = 64 * 1024 * 1024

/** Message submission (RFC 6409; docs/reference/submission.md), until it is disposed. */
export async function startSubmission({ config, key, clock, observe, ...parts }: SubmissionParts): Promise<Submission> {
  const { db, log, hostname } = parts
  const submit: Submit = (account, sender) => submitterFor(parts, account, sender)
  const auth = new PasswordAuth({ db, key, submit, log, observe })
  const tls = config.tls && (await Certificate.open(config.tls, clock, log))
  await using starting = new AsyncDisposableStack()
  const open = async (at: Listening | undefined, how: Omit<SmtpConfig, 'hostname'>, handler: MailHandler<Named>) => {
    if (!at) return undefined
    const limits = { memory, ...how.limits }
    const listener = starting.use(new SmtpListener({ hostname, ...how, limits }, handler, clock, log))
    await listener.listen(at.host, at.port)
    return { host: at.host, port: listener.port }
  }
  const starttls = await open(config.submission, { tls, auth }, unauthenticated)
  const implicit = await open(config.submissionTls, { tls, auth, implicitTls: true }, unauthenticated)
  // A server of ours: it needs no greeting delay, and may use all connections.
  const limits = { greetingDelay: 0, connectionsPerClient: LIMITS.connections }
  const proxied = await open(config.submissionProxy, { limits }, trustedProxy(db, submit))
  const started = starting.move()
  return { starttls, tls: implicit, proxied, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
