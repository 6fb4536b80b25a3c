import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostname } from '#test/world/installation.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { World, type WorldOptions } from '#test/world/world.ts'

/** Of every mailbox of `submittingMailbox`. */
export const password = 'correct horse battery staple'

/** Settings of a service with submission, at free ports, with its own certificate. */
export async function submissionSettings(): Promise<{
  readonly env: Record<string, string>
  /** The authority that a client trusts. */
  readonly certificate: string
  [Symbol.asyncDispose](): Promise<void>
}> {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-submission-'))
  const { cert, key } = certificateFor(hostname)
  const [certificate, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await writeFile(certificate, cert)
  await writeFile(keyFile, key, { mode: 0o600 })
  const env = {
    MAILROOM_SUBMISSION_PORT: '0',
    MAILROOM_SUBMISSION_TLS_PORT: '0',
    MAILROOM_TLS_CERT: certificate,
    MAILROOM_TLS_KEY: keyFile,
  }
  return { env, certificate, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}

/** A service with submission that relays to a sink, with an organization. */
export interface Submitting extends AsyncDisposable {
  readonly world: World
  readonly sink: Sink
  readonly organization: TestOrganization
  /** For STARTTLS. */
  readonly port: number
  /** A file with the trusted authority. */
  readonly certificate: string
}

export async function startSubmitting({ env, ...options }: WorldOptions = {}): Promise<Submitting> {
  await using starting = new AsyncDisposableStack()
  const settings = starting.use(await submissionSettings())
  const sink = starting.use(await Sink.start())
  const world = starting.use(await World.start({ ...options, sink, env: { ...settings.env, ...env } }))
  const organization = await world.organization()
  const started = starting.move()
  const { certificate } = settings
  const port = world.submission?.port ?? 0
  return { world, sink, organization, port, certificate, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** A mailbox that a mail program can log in to. */
export async function submittingMailbox(
  organization: TestOrganization,
  localPart: string,
  more: object = {},
): Promise<{ id: string; address: string }> {
  const fields = { domain: organization.domain, local_part: localPart, password, ...more }
  const { status, body } = await organization.request('POST', '/v1/mailboxes', fields)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

/** A message as a mail program writes it. */
export function written(from: string, fields: Record<string, string | undefined> = {}, body = 'Hello'): string {
  const usual = {
    From: `Ada <${from}>`,
    To: 'Bob <bob@there.example>',
    Subject: 'Hello',
    Date: 'Sun, 22 Nov 2026 12:00:00 +0000',
    'Message-ID': `<${randomUUID()}@laptop.example>`,
  }
  const lines = Object.entries({ ...usual, ...fields }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  )
  return `${lines.join('')}\r\n${body}`
}

/** The argument of AUTH PLAIN. */
export function plain(login: string, secret = password): string {
  return `AUTH PLAIN ${Buffer.from(`\0${login}\0${secret}`).toString('base64')}`
}

/** A client that has said STARTTLS and EHLO. */
export async function secured(
  port: number,
  options: { host?: string; localAddress?: string } = {},
): Promise<SmtpClient> {
  const client = await SmtpClient.greeted(port, options)
  await client.startTls()
  await client.say('EHLO laptop.example')
  return client
}

/** A client that has logged in too. */
export async function loggedIn(port: number, login: string): Promise<SmtpClient> {
  const client = await secured(port)
  const { lines, code } = await client.say(plain(login))
  if (code !== 235) throw new Error(lines.join())
  return client
}
