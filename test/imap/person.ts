import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import { endsLast } from '#test/runner/kept.ts'
import { password, readingMailbox } from '#test/world/imap/serving.ts'
import { hand, letter, messagesIn } from '#test/world/letters/letter.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { World } from '#test/world/world.ts'

/** What a mail program is told of an account, at `localhost`. */
interface Account {
  readonly address: string
  readonly password: string
  /** For STARTTLS. */
  readonly port: number
  /** For TLS from the first octet. */
  readonly tlsPort: number
  /** A file with the server's certificate. */
  readonly certificate: string
}

/** Somebody with a mailbox, who uses a mail program on a machine of their own, while the API is used beside it. */
export class Person implements AsyncDisposable {
  readonly organization: TestOrganization
  readonly account: Account
  /** The home of their program. */
  readonly home: string
  /** Where the event log is read on. */
  #next = ''
  /** By the ids of messages, since an event that is read late does not know the subject of one that is gone. */
  readonly #subjects = new Map<string, string>()

  private constructor(account: Account, organization: TestOrganization, home: string) {
    this.account = account
    this.organization = organization
    this.home = home
  }

  /** In an organization of their own. */
  static async of(world: World, certificate: string): Promise<Person> {
    const organization = await world.organization()
    const { address } = await readingMailbox(organization, 'ada')
    const [port, tlsPort] = [world.imap?.port ?? 0, world.imapTls?.port ?? 0]
    const account = { address, password, port, tlsPort, certificate }
    const person = new Person(account, organization, await mkdtemp(join(tmpdir(), 'mailroom-home-')))
    await person.api('POST', '/v1/labels', { name: 'Work' })
    person.#next = (await person.api('GET', '/v1/events?after=now')).next
    return person
  }

  get address(): string {
    return this.account.address
  }

  /** Mail comes, a message for each subject, one after the other. */
  async receives(...subjects: readonly string[]): Promise<void> {
    for (const Subject of subjects) {
      const message = letter({ Subject }, `About ${Subject}`)
      assert.equal(await hand(this.organization.world, 'ann@peer.example', this.address, message), '250 2.6.0')
    }
    for (const { id, subject } of await messagesIn(this.organization, this.address)) this.#subjects.set(id, subject)
  }

  /** A request that succeeds, and its answer. `mailbox` is added to the path. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it, field by field
  async api(method: string, path: string, body?: object): Promise<any> {
    const answer = await this.organization.request(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** Changes the inbox's message with this subject, as PATCH has it. */
  async change(subject: string, what: object, folder = 'inbox'): Promise<void> {
    const message = (await messagesIn(this.organization, this.address, folder)).find((one) => one.subject === subject)
    await this.api('PATCH', `/v1/messages/${message?.uid}?mailbox=${this.address}&folder=${folder}`, what)
  }

  /** What the API shows of a folder, by subject, each with its marks: `read`, `starred` and labels. */
  async has(folder = 'inbox'): Promise<Record<string, string>> {
    const messages = await messagesIn(this.organization, this.address, folder)
    const marked = messages.map(({ subject, unread, starred, labels }) => {
      const marks = [...(unread ? [] : ['read']), ...(starred ? ['starred'] : []), ...labels]
      return [subject, marks.join(' ')] as const
    })
    return Object.fromEntries(marked.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** The names of the folders, but for the six that each mailbox has. */
  async folders(): Promise<string[]> {
    const { data } = await this.api('GET', `/v1/folders?mailbox=${this.address}`)
    return data.filter(({ role }: { role: string | null }) => role === null).map(({ name }: { name: string }) => name)
  }

  /** Waits until a mail program has changed or deleted each of these messages, after what was waited for before. */
  async happens(...subjects: readonly string[]): Promise<void> {
    const waiting = new Set(subjects)
    while (waiting.size > 0) {
      const query = new URLSearchParams({ after: this.#next, wait: '50', types: 'message', limit: '1' })
      const { data, next } = await this.api('GET', `/v1/events?${query}`)
      this.#next = next
      assert.ok(data.length > 0, `nothing happens to ${[...waiting].join(', ')} within 50 s`)
      const [{ by, message }] = data
      if (by.kind === 'mail_program') waiting.delete(message.subject ?? this.#subjects.get(message.id))
    }
  }

  /** Writes a file into the home. Answers its path. */
  async file(name: string, text: string): Promise<string> {
    const path = join(this.home, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }

  /** What a program needs of its environment. */
  get env(): Record<string, string> {
    const { PATH = '' } = process.env
    return { PATH, HOME: this.home, TERM: 'vt100', LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  }

  /** Runs a program to its end. Answers what it has written; rejects with that if it fails. */
  async run(program: string, args: readonly string[]): Promise<string> {
    const { env, home: cwd } = this
    const { stdout } = await promisify(execFile)(program, args, { env, cwd }).catch((error) => {
      throw new Error(`${program} ended with ${error.code}:\n${error.stdout}${error.stderr}`)
    })
    return stdout
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.home, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The service that a file's people have their mailboxes at. A newcomer has got a message of each subject. */
export function people(): { newcomer(...letters: readonly string[]): Promise<Person> } {
  let own: AsyncDisposableStack | undefined
  before(async () => {
    if (served) return
    const resources = new AsyncDisposableStack()
    served = await start(resources)
    if (!endsLast(() => resources.disposeAsync())) own = resources
  })
  after(() => own?.disposeAsync())
  return {
    async newcomer(...letters) {
      assert.ok(served)
      const person = await Person.of(served.world, served.certificate)
      await person.receives(...letters)
      return person
    },
  }
}

/** One for all files of this process. */
let served: Awaited<ReturnType<typeof start>> | undefined

async function start(resources: AsyncDisposableStack) {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-imap-'))
  resources.defer(() => rm(directory, { recursive: true, force: true }))
  const { cert, key } = certificateFor('localhost')
  const [certificate, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await writeFile(certificate, cert)
  await writeFile(keyFile, key, { mode: 0o600 })
  const tls = { MAILROOM_TLS_CERT: certificate, MAILROOM_TLS_KEY: keyFile }
  const env = { ...tls, MAILROOM_IMAP_PORT: '0', MAILROOM_IMAPS_PORT: '0' }
  return { world: resources.use(await World.start({ env })), certificate }
}
