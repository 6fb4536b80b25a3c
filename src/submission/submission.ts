import type { Logger } from 'pino'
import type { Config, Listening } from '#/config/config.ts'
import { Certificate } from '#/inbound/certificate.ts'
import type { Named } from '#/inbound/envelope.ts'
import { LIMITS } from '#/inbound/limits.ts'
import type { MailHandler } from '#/inbound/mail-handler.ts'
import { type SmtpConfig, SmtpListener } from '#/inbound/smtp-listener.ts'
import type { Clock } from '#/ports/clock.ts'
import type { AttemptsKey } from './attempts.ts'
import { nobody, PasswordAuth, type PasswordAuthParts, type Submit, trusting } from './password-auth.ts'
import { type SubmitterParts, submitterFor } from './submitter.ts'

export interface SubmissionParts extends SubmitterParts {
  readonly key: AttemptsKey
  readonly observe?: PasswordAuthParts['observe']
  readonly clock: Clock
  readonly config: Pick<Config, 'submission' | 'submissionTls' | 'submissionProxy' | 'hostname' | 'tls'>
  readonly log: Logger
}

/** Where it is listened, which is any free port where the configuration says 0. */
export interface Submission extends AsyncDisposable {
  readonly starttls: Listening | undefined
  readonly tls: Listening | undefined
  readonly proxied: Listening | undefined
}

/** For messages at each port while they come in, in octets: people send less than the world does. */
const memory = 64 * 1024 * 1024

/** Takes mail from the programs of its authors (RFC 6409), until it is disposed. docs/reference/submission.md explains it. */
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
  const starttls = await open(config.submission, { tls, auth }, nobody)
  const fromTheStart = await open(config.submissionTls, { tls, auth, implicitTls: true }, nobody)
  // A server of ours: nothing is gained by keeping it waiting, and it may bring the mail of all.
  const limits = { greetingDelay: 0, connectionsPerClient: LIMITS.connections }
  const proxied = await open(config.submissionProxy, { limits }, trusting(db, submit))
  const started = starting.move()
  return { starttls, tls: fromTheStart, proxied, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
