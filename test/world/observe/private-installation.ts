import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '#test/world/database/database.ts'
import { opened, type PrivateMailbox, privateMailbox, storedIn } from '#test/world/mail/private-mailbox.ts'
import { submissionSettings } from '#test/world/mail/submission.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'
import { databaseDirectory, type Found, foundOnDisk, keepPlain, mark } from './on-disk.ts'

interface Parts {
  readonly sink: Sink
  readonly world: World
  readonly own: TestOrganization
  readonly secret: PrivateMailbox
  readonly directory: string
}

/** A service with a Private mailbox, all of whose files can be searched. */
export class PrivateInstallation implements AsyncDisposable {
  readonly sink: Sink
  readonly world: World
  readonly own: TestOrganization
  /** The Private mailbox, which answers automatically. */
  readonly secret: PrivateMailbox
  readonly #directory: string
  readonly #started: AsyncDisposableStack

  private constructor({ sink, world, own, secret, directory }: Parts, started: AsyncDisposableStack) {
    this.sink = sink
    this.world = world
    this.own = own
    this.secret = secret
    this.#directory = directory
    this.#started = started
  }

  static async start(): Promise<PrivateInstallation> {
    await using started = new AsyncDisposableStack()
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-on-disk-'))
    started.defer(() => rm(directory, { recursive: true, force: true }))
    const sink = started.use(await Sink.start())
    const server = process.env.TEST_DATABASE_URL !== undefined
    const database = started.use(await testDatabase(server ? undefined : { directory }))
    await keepPlain(database.db)
    const log = { write: (line: string) => appendFileSync(join(directory, 'log'), line) }
    const submission = started.use(await submissionSettings())
    const world = started.use(await World.start({ database, sink, log, env: submission.env }))
    const own = await world.organization()
    await signingDomain(world, own)
    world.dns.set('peer.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
    const secret = await privateMailbox(own, 'secret')
    const made = new PrivateInstallation({ sink, world, own, secret, directory }, started.move())
    await made.answering(true)
    return made
  }

  async answering(reply_enabled: boolean): Promise<void> {
    const settings = { mailbox: this.secret.address, reply_body: 'I am away.', reply_enabled }
    assert.equal((await this.own.request('PATCH', '/v1/forwarding', settings)).status, 200)
  }

  /** Where a text is on disk, in any form. */
  async found(marks: string): Promise<Found[]> {
    const written = await databaseDirectory(this.world.db)
    // The embedded database is below the directory already, and knows it by another name.
    const server = process.env.TEST_DATABASE_URL === undefined ? [] : [written]
    return await foundOnDisk([this.#directory, ...server], marks)
  }

  async nowhere(marks: string): Promise<void> {
    assert.deepEqual(
      (await this.found(marks)).map(({ file, form, before }) => [file, form, before.slice(-60)]),
      [],
    )
  }

  /** What the newest message of the mailbox says, once all that waits has been tried. */
  async read({ id, privateKey }: PrivateMailbox = this.secret, folder?: string): Promise<string> {
    await this.world.outbound.processAll()
    const newest = (await storedIn(this.own, id, folder)).at(-1)
    return newest ? (await opened(newest, privateKey)).toString() : ''
  }

  async send(body: object, path = '/v1/send') {
    const headers = { 'idempotency-key': mark() }
    const answer = await this.own.request('POST', path, body, { headers })
    assert.equal(answer.status, path === '/v1/send' ? 202 : 201)
    return answer.body
  }

  /** A message to the Private mailbox over the API, with the mark in all of it. */
  outgoing(from: string, one: string): object {
    return {
      from: `${one} <${from}>`,
      to: [`${one} <${this.secret.address}>`],
      reply_to: `${one}@there.example`,
      subject: `${one} and ä`,
      text: `${one} ä\n`.repeat(10),
      html: `<p>${one}</p>`.repeat(10),
      references: [`<${one}@there.example>`],
      attachments: [{ filename: `${one}.bin`, content: Buffer.from(`${one} `.repeat(20)).toString('base64') }],
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync()
  }
}
