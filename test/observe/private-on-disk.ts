import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { hand, letter } from '#test/mail/letter.ts'
import { openPgpKey } from '#test/mail/openpgp-key.ts'
import { deliveryReport } from '#test/mail/report.ts'
import { Sink } from '#test/sockets/sink.ts'
import { testDatabase } from '#test/world/database.ts'
import { opened, type PrivateMailbox, privateMailbox, storedIn } from '#test/world/private-mailbox.ts'
import { signingDomain } from '#test/world/signing-domain.ts'
import { loggedIn, submissionSettings, submittingMailbox } from '#test/world/submission.ts'
import { World } from '#test/world/world.ts'
import type { TestOrganization } from '#test/world/test-organization.ts'
import { databaseDirectory, foundOnDisk, keepPlain, mark } from './on-disk.ts'

/** A mail host of the test's own. */
export interface Elsewhere extends AsyncDisposable {
  readonly url: string
  /** Everything that it keeps: mail, indexes, logs. */
  readonly directory: string
  kill(): Promise<void>
  run(): Promise<void>
}

/** A message with the mark in everything that is of its author's making, but for the bare address and the Message-ID. */
export function marked(mark: string, to: string, fields: Record<string, string | undefined> = {}): string {
  const many = `${mark} and ${mark} `.repeat(8)
  const part = (header: string, body: string) => `--=_m\r\n${header}\r\n\r\n${body}\r\n`
  const header = {
    From: `=?utf-8?B?${Buffer.from(`Zoë ${mark}`).toString('base64')}?= <ann@peer.example>`,
    To: `"${mark}" <${to}>`,
    Cc: `${mark} <${mark}@elsewhere.example>`,
    Subject: `=?utf-8?Q?Gr=C3=BC=C3=9Fe_${mark}?=`,
    References: `<${mark}-1@peer.example> <${mark}-2@peer.example>`,
    'In-Reply-To': `<${mark}-2@peer.example>`,
    'Reply-To': `${mark}@peer.example`,
    [`X-${mark}`]: 'x',
    'MIME-Version': '1.0',
    'Content-Type': 'multipart/mixed; boundary="=_m"',
    ...fields,
  }
  const body = [
    part('Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable', `${mark} =C3=A4`),
    part('Content-Type: text/html\r\nContent-Transfer-Encoding: base64', Buffer.from(many).toString('base64')),
    part(
      `Content-Type: application/pdf; name="${mark}.pdf"\r\nContent-Disposition: attachment; filename="${mark}.pdf"`,
      many,
    ),
  ]
  return letter(header, `${body.join('')}--=_m--\r\n`)
}

/** Every way a message takes into a Private mailbox or sets off there, each followed by a search of all that is on disk. */
export function privateOnDisk(startHost?: () => Promise<Elsewhere>): void {
  let host: Elsewhere | undefined
  let sink: Sink
  let world: World
  let own: TestOrganization
  let secret: PrivateMailbox
  let directory: string
  const started = new AsyncDisposableStack()

  before(async () => {
    host = startHost && started.use(await startHost())
    directory = await mkdtemp(join(tmpdir(), 'mailroom-on-disk-'))
    started.defer(() => rm(directory, { recursive: true, force: true }))
    sink = started.use(await Sink.start())
    const server = process.env.TEST_DATABASE_URL !== undefined
    const database = started.use(await testDatabase(server ? undefined : { directory }))
    await keepPlain(database.db)
    const log = { write: (line: string) => appendFileSync(join(directory, 'log'), line) }
    const submission = started.use(await submissionSettings())
    const env = { ...submission.env, ...(host && { MAILROOM_IMAP_URL: host.url }) }
    world = started.use(await World.start({ database, sink, log, env }))
    own = await world.organization()
    await signingDomain(world, own)
    world.dns.set('peer.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
    secret = await privateMailbox(own, 'secret')
    await answering(true)
  })
  after(() => started.disposeAsync())

  const answering = async (reply_enabled: boolean) => {
    const settings = { mailbox: secret.address, reply_body: 'I am away.', reply_enabled }
    assert.equal((await own.request('PATCH', '/v1/forwarding', settings)).status, 200)
  }
  const found = async (marks: string) => {
    const written = await databaseDirectory(world.db)
    // The embedded database is below the directory already, and knows it by another name.
    const server = process.env.TEST_DATABASE_URL === undefined ? [] : [written]
    return await foundOnDisk([directory, ...server, ...(host ? [host.directory] : [])], marks)
  }
  const nowhere = async (marks: string) =>
    assert.deepEqual(
      (await found(marks)).map(({ file, form, before }) => [file, form, before.slice(-60)]),
      [],
    )
  /** What the newest message of the mailbox says, once all that waits has been tried. */
  const read = async ({ id, privateKey }: PrivateMailbox = secret, folder?: string) => {
    await world.outbound.processAll()
    const newest = (await storedIn(own, id, folder)).at(-1)
    return newest ? (await opened(newest, privateKey)).toString() : ''
  }
  const send = async (body: object, path = '/v1/send') => {
    const headers = { 'idempotency-key': mark() }
    const answer = await own.request('POST', path, body, { headers })
    assert.equal(answer.status, path === '/v1/send' ? 202 : 201)
    return answer.body
  }
  /** A message to the Private mailbox over the API, with the mark in all of it. */
  const outgoing = (from: string, one: string) => ({
    from: `${one} <${from}>`,
    to: [`${one} <${secret.address}>`],
    reply_to: `${one}@there.example`,
    subject: `${one} and ä`,
    text: `${one} ä\n`.repeat(10),
    html: `<p>${one}</p>`.repeat(10),
    references: [`<${one}@there.example>`],
    attachments: [{ filename: `${one}.bin`, content: Buffer.from(`${one} `.repeat(20)).toString('base64') }],
  })

  test('the search finds what a Smart mailbox keeps', async () => {
    const [one, { address }] = [mark(), await own.mailbox('readable')]
    assert.equal(await hand(world, 'ann@peer.example', address, marked(one, address)), '250 2.6.0')
    const forms = new Set((await found(one)).map(({ form }) => form))
    for (const form of ['as it is', 'in base64'])
      assert.ok(
        [...forms].some((name) => name.startsWith(form)),
        form,
      )
  })

  test('mail in, and its automatic answer, which waits and then goes', async () => {
    const one = mark()
    sink.act = (step, { recipient }) => (step === 'rcpt' ? `451 4.7.1 <${recipient}> has to wait` : undefined)
    assert.equal(await hand(world, `${one}@peer.example`, secret.address, marked(one, secret.address)), '250 2.6.0')
    assert.match(await read(), new RegExp(one))
    assert.ok(sink.lines.some((line) => line.includes(`RCPT TO:<${one}@peer.example>`)))
    await nowhere(one)
    sink.act = () => undefined
    await sql`update outbound_recipients set due_at = ${new Date(world.clock.now())}`.execute(world.db)
    await world.outbound.processAll()
    const [answer] = sink.taken.splice(0)
    assert.deepEqual(answer?.to, [`${one}@peer.example`])
    assert.match(answer?.bytes.toString() ?? '', new RegExp(`${one}-1@peer.example`))
    await nowhere(one)
    // It is answered once.
    assert.equal(await hand(world, `${one}@peer.example`, secret.address, marked(one, secret.address)), '250 2.6.0')
    await world.outbound.processAll()
    assert.deepEqual([sink.taken.length, await found(one)], [0, []])
  })

  test('an automatic answer that is refused for good', async () => {
    const one = mark()
    sink.act = (step, { recipient }) => (step === 'rcpt' ? `550 5.1.1 <${recipient}> is nobody` : undefined)
    assert.equal(await hand(world, `${one}@peer.example`, secret.address, marked(one, secret.address)), '250 2.6.0')
    assert.match(await read(), new RegExp(one))
    sink.act = () => undefined
    await nowhere(one)
  })

  test('mail that filters move and label', async () => {
    const one = mark()
    for (const [action, argument] of [['move', 'Kept'], ['star']] as const) {
      const filter = { name: action, field: 'subject', op: 'contains', value: 'grüße', action, argument }
      assert.equal((await own.request('POST', '/v1/filters', filter)).status, 201)
    }
    assert.equal(await hand(world, `${one}@peer.example`, secret.address, marked(one, secret.address)), '250 2.6.0')
    assert.match(await read(secret, 'Kept'), new RegExp(one))
    for (const { id } of (await own.request('GET', '/v1/filters')).body.data)
      assert.equal((await own.request('DELETE', `/v1/filters/${id}`)).status, 200)
    await nowhere(one)
  })

  test('mail that is refused: blocked by its envelope, by its author, for a mailbox that is suspended', async () => {
    const one = mark()
    await own.request('POST', '/v1/blocked-senders', { pattern: '@spam.example' })
    const text = marked(one, secret.address)
    assert.equal(await hand(world, `${one}@spam.example`, secret.address, text), '550 5.7.1')
    const byAuthor = marked(one, secret.address, { From: `${one} <${one}@spam.example>` })
    assert.equal(await hand(world, `${one}@peer.example`, secret.address, byAuthor), '550 5.7.1')
    const other = await privateMailbox(own, 'other')
    const suspended = (at: Date | null) =>
      world.db.updateTable('mailboxes').set({ suspended_at: at }).where('id', '=', other.id).execute()
    await suspended(new Date())
    assert.equal(await hand(world, `${one}@peer.example`, other.address, text), '550 5.2.1')
    await suspended(null)
    await nowhere(one)
  })

  test('an attempt that fails: it cannot be encrypted, and comes again later', async () => {
    const one = mark()
    const broken = await privateMailbox(own, 'broken')
    const key = (public_key: string) =>
      world.db.updateTable('mailboxes').set({ public_key }).where('id', '=', broken.id).execute()
    const { public_key = '' } = await world.db
      .selectFrom('mailboxes')
      .select('public_key')
      .where('id', '=', broken.id)
      .executeTakeFirstOrThrow()
    await key('no key')
    const text = marked(one, broken.address)
    assert.equal(await hand(world, `${one}@peer.example`, broken.address, text), '451 4.3.0')
    await nowhere(one)
    await key(public_key ?? '')
    assert.equal(await hand(world, `${one}@peer.example`, broken.address, text), '250 2.6.0')
    assert.match(await read(broken), new RegExp(one))
    await nowhere(one)
  })

  test('a message that is scheduled for it, shown, cancelled or refused; once it has gone, all is in the copy in Sent', async () => {
    const [one, { address }] = [mark(), await own.mailbox('scheduling')]
    const schedule = () => {
      const send_at = new Date(world.clock.now() + 60_000).toISOString()
      return send({ ...outgoing(address, one), send_at }, '/v1/scheduled')
    }
    const { id } = await schedule()
    const shown = (await own.request('GET', `/v1/scheduled/${id}`)).body
    assert.deepEqual([shown.subject, shown.to], [`${one} and ä`, [`${one} <${secret.address}>`]])
    await nowhere(one)
    assert.equal((await own.request('DELETE', `/v1/scheduled/${id}`)).status, 200)
    await nowhere(one)
    const suspended = (at: Date | null) =>
      world.db.updateTable('mailboxes').set({ suspended_at: at }).where('id', '=', secret.id).execute()
    const refused = await schedule()
    await suspended(new Date())
    await world.advance(120_000)
    await world.rounds.processAll()
    assert.equal((await own.request('GET', `/v1/scheduled/${refused.id}`)).body.status, 'failed')
    await nowhere(one)
    await suspended(null)
    assert.equal((await own.request('POST', `/v1/scheduled/${refused.id}/retry`)).status, 200)
    await world.rounds.processAll()
    assert.match(await read(), new RegExp(one))
  })

  test('a message that is sent to it from here lies in the copy in Sent alone', async () => {
    const [one, { address }] = [mark(), await own.mailbox('sending')]
    const copied = mark()
    await answering(false)
    await send({ ...outgoing(address, one), bcc: `${copied}@there.example` })
    assert.match(await read(), new RegExp(one))
    sink.taken.splice(0)
    // That copy alone names who is in Bcc, in front of all else.
    const octets = (await found(one)).filter(({ before }) => /\nReferences: [^\n]*$/.test(before))
    assert.ok(octets.length > 0)
    for (const { file, before } of octets) {
      const copy = before.slice(before.lastIndexOf(`Bcc: ${copied}`))
      assert.deepEqual([file, copy.split('\nFrom: ').length], [file, 2], copy)
    }
    await answering(true)
  })

  test('a message that is forwarded to it', async () => {
    const [one, { address }] = [mark(), await own.mailbox(mark())]
    const settings = { mailbox: address, forward_to: secret.address, forward_enabled: true }
    assert.equal((await own.request('PATCH', '/v1/forwarding', settings)).status, 200)
    assert.equal(await hand(world, 'ann@peer.example', address, marked(one, address)), '250 2.6.0')
    assert.match(await read(), new RegExp(`Delivered-To: ${address}[^]*${one}`))
    await nowhere(`Delivered-To: ${address}`)
  })

  test('a bounce that goes back to it', async () => {
    const [one, { address }] = [mark(), await own.mailbox('passing')]
    const settings = { mailbox: address, forward_to: 'ada@away.example', forward_enabled: true }
    assert.equal((await own.request('PATCH', '/v1/forwarding', settings)).status, 200)
    // Its owner has written from elsewhere.
    assert.equal(await hand(world, secret.address, address), '250 2.6.0')
    await world.outbound.processAll()
    const [{ from } = { from: '' }] = sink.taken.splice(0)
    const report = deliveryReport('failed', {
      From: `${one} <daemon@away.example>`,
      Subject: one,
      References: `<${one}@x>`,
    })
    assert.equal(await hand(world, '', from, report), '250 2.6.0')
    assert.match(await read(), new RegExp(one))
    await nowhere(one)
  })

  test('what its owner sends by a mail program, the notice that it was refused, and one that it waits', async () => {
    const [one, { publicKey, privateKey }] = [mark(), await openPgpKey()]
    const writing = await submittingMailbox(own, 'writing', { kind: 'private', public_key: publicKey })
    const owner = { ...writing, privateKey }
    sink.act = (step, { recipient }) => {
      if (step !== 'rcpt') return undefined
      return recipient.startsWith('refused') ? `550 5.1.1 <${recipient}> is nobody` : `451 4.7.1 <${recipient}> waits`
    }
    await using client = await loggedIn(world.submission?.port ?? 0, writing.address)
    const text = marked(one, `${one}@there.example`, { From: `${one} <${writing.address}>` })
    // A name that is not its own, in the envelope and in From, and somebody who is not here.
    const forged = marked(one, 'bob@there.example', { From: `${one}@there.example` })
    assert.equal((await client.send(`${one}@there.example`, 'bob@there.example', text)).code, 553)
    assert.equal((await client.send(writing.address, 'bob@there.example', forged)).code, 553)
    assert.equal((await client.send(writing.address, `${one}@${own.domain}`, text)).code, 550)
    await client.say('RSET')
    const { code } = await client.send(writing.address, [`refused-${one}@there.example`, `${one}@there.example`], text)
    assert.equal(code, 250)
    assert.match(await read(owner), new RegExp(`refused-${one}@there\\.example`))
    // On a mail host the copy waits for the program to put one there itself.
    await sql`update mail_spool set due_at = clock_timestamp() where unless_there`.execute(world.db)
    while (!(await read(owner, 'sent')).includes(one)) await wait(50)
    await nowhere(one)
    await world.advance(5 * 3_600_000)
    await world.outbound.processAll()
    assert.equal((await storedIn(own, writing.id)).length, 2)
    await nowhere(one)
    sink.act = () => undefined
  })

  if (startHost === undefined) return
  test('mail that waits for a mail host that is away', async () => {
    const one = mark()
    await host?.kill()
    assert.equal(await hand(world, `${one}@peer.example`, secret.address, marked(one, secret.address)), '250 2.6.0')
    await world.outbound.processAll()
    await nowhere(one)
    await host?.run()
    // It is tried again when its turn comes.
    while (!(await read()).includes(one)) await wait(50)
    await nowhere(one)
  })
}
