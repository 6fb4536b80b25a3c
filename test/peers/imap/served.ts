import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endsLast } from '#test/runner/kept.ts'
import { certificateFor } from '#test/sockets/certificate.ts'
import { password, readingMailbox } from '#test/world/imap/serving.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

/** What a mail program is told of an account, at `localhost`. */
export interface Account {
  readonly address: string
  readonly password: string
  /** For STARTTLS. */
  readonly port: number
  /** For TLS from the first octet. */
  readonly tlsPort: number
  /** A file with the server's certificate. */
  readonly certificate: string
}

/** A service that serves mail programs. */
export interface Served {
  readonly world: World
  /** A mailbox in an organization of its own. */
  mailbox(): Promise<{ account: Account; organization: TestOrganization }>
  /** Ends it, unless other files of this process use it. */
  release(): Promise<void>
}

/** One for all files of this process. */
let shared: Served | undefined

export async function served(): Promise<Served> {
  if (shared) return shared
  const resources = new AsyncDisposableStack()
  const started = await start(resources)
  if (!endsLast(() => resources.disposeAsync())) return { ...started, release: () => resources.disposeAsync() }
  shared = { ...started, release: async () => {} }
  return shared
}

async function start(resources: AsyncDisposableStack): Promise<Omit<Served, 'release'>> {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-imap-'))
  resources.defer(() => rm(directory, { recursive: true, force: true }))
  const { cert, key } = certificateFor('localhost')
  const [certificate, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await writeFile(certificate, cert)
  await writeFile(keyFile, key, { mode: 0o600 })
  const tls = { MAILROOM_TLS_CERT: certificate, MAILROOM_TLS_KEY: keyFile }
  const world = resources.use(await World.start({ env: { ...tls, MAILROOM_IMAP_PORT: '0', MAILROOM_IMAPS_PORT: '0' } }))
  const { imap, imapTls } = world
  assert.ok(imap && imapTls)
  const mailbox = async () => {
    const organization = await world.organization()
    const { address } = await readingMailbox(organization, 'ada')
    const account = { address, password, port: imap.port, tlsPort: imapTls.port, certificate }
    return { account, organization }
  }
  return { world, mailbox }
}
