import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { newChallenge } from '#/people/sessions/passkeys/challenges.ts'
import { insertPasskey } from '#/people/sessions/passkeys/queries.ts'
import { bindIdentity, insertPending } from '#/people/sessions/single-sign-on/queries.ts'
import { deliveryReport } from '#test/world/letters/report.ts'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import { withPassword } from '#test/world/members/passwords.ts'
import { linkFor } from '#test/world/members/signed-in.ts'
import { setUpTotp } from '#test/world/members/totp.ts'
import { everyOperation, pathOf } from '#test/world/routes/every-route.ts'
import type { Sink } from '#test/world/sockets/sink.ts'
import type { World } from '#test/world/world.ts'
import { type Furnished, furnish } from './furnished.ts'
import { withOwnThings } from './personal-items.ts'
import { signingDomain } from './signing-domain.ts'

/** An installation that two organizations have used for a while: no table is empty. */
export interface UsedInstallation {
  readonly organizations: readonly [Furnished, Furnished]
  /** What was asked with an Idempotency-Key, and the answer. */
  readonly asked: { readonly key: string; readonly body: object; readonly answer: unknown }
  /** The subject of a message that waits to be sent, and of one that is scheduled, with its recipient. */
  readonly waiting: string
  readonly scheduled: { readonly subject: string; readonly to: string; readonly sendAt: Date }
}

const minute = 60_000

export async function usedInstallation(world: World, sink: Sink): Promise<UsedInstallation> {
  const organizations = [await furnish(world), await furnish(world)] as const
  for (const { organization } of organizations) {
    await signingDomain(world, organization)
    await withOwnThings(organization)
    await privateMailbox(organization, 'secret')
  }
  const [first] = organizations
  await correspond(world, first)
  // A relay that replaces the Message-ID.
  const replaced = '250 2.0.0 OK <1@A1.PROD.OUTLOOK.COM> [Hostname=A1]'
  sink.act = (step) => (step === 'end of data' ? replaced : undefined)
  await leaveTraces(world, first)
  sink.act = (step) => (step === 'rcpt' ? '451 4.7.1 Later' : undefined)
  const asked = await askOnce(first)
  const sent = { from: first.address, to: 'bob@there.example', subject: 'Waiting', text: 'Hello' }
  assert.equal((await first.organization.request('POST', '/v1/send', sent)).status, 202)
  await world.outbound.processAll()
  sink.act = () => undefined
  // So far in the future that a slow machine does not reach it.
  await sql`update outbound_recipients set due_at = due_at + interval '8 minutes'`.execute(world.db)
  await beInvited(world, first)
  const scheduled = { subject: 'Scheduled', to: 'cy@there.example', sendAt: new Date(world.clock.now() + 10 * minute) }
  await schedule(first, scheduled)
  return { organizations, asked, waiting: sent.subject, scheduled }
}

/** A member who has signed in, with a password, a second factor, a passkey and by single sign-on, and has a link to sign in elsewhere. */
async function beInvited({ clock, db }: World, { organization }: Furnished): Promise<void> {
  const session = await withPassword(organization, 'new@far.example')
  await setUpTotp(session, clock.now())
  await linkFor(organization, session.id)
  const member = { organizationId: organization.id, memberId: session.id }
  await db.transaction().execute((tx) => bindIdentity(tx, member, { issuer: 'https://id.example', subject: 'new' }))
  const secrets = { hash: randomBytes(32), state: 'a', nonce: 'b', verifier: 'c' }
  const wanted = { returnTo: '/', organization: null, session: null }
  const now = new Date(clock.now())
  await insertPending(db, { ...secrets, ...wanted, begunAt: now })
  const passkey = { credential_id: randomBytes(16), public_key: randomBytes(77), counter: 1, transports: ['usb'] }
  await db.transaction().execute((tx) => insertPasskey(tx, member, { ...passkey, name: 'Laptop', created_at: now }))
  await newChallenge(db, { purpose: 'sign_in' }, now)
}

/** Some mail waits to be indexed for search. */
export async function awaitIndexing({ db }: World): Promise<void> {
  await sql`
    insert into mail_search_queue (id, organization_id)
    select content_id, organization_id from mail_search order by content_id limit 1`.execute(db)
}

/** Mail in folders, with flags and labels, small and large, in conversations, some of it gone again. */
async function correspond(world: World, { organization, address, keyword }: Furnished): Promise<void> {
  const write = (number: number, more: object = {}) =>
    world.send({
      from: `peer${number % 5}@far.example`,
      to: address,
      messageId: `<${number}@far.example>`,
      subject: `Größe № ${number} \\ "quoted"`,
      text: `Line\ttab \\x00 ${'é'.repeat(number)}\r\n`,
      ...(number % 3 > 0 && { inReplyTo: `<${number - (number % 3)}@far.example>` }),
      ...more,
    })
  for (let number = 0; number < 40; number++) await write(number)
  await write(40, { attachments: [{ filename: 'large.bin', content: Buffer.alloc(3 * 2 ** 20, 'Large and small. ') }] })
  const change = (uids: readonly number[], body: object) =>
    organization.request('PATCH', `/v1/messages?mailbox=${address}`, { uids, ...body })
  await change([2, 3, 4], { starred: true, add_labels: [keyword] })
  await change([4, 5], { unread: false, add_labels: [keyword] })
  await change([6, 7, 8], { folder: 'Projects/Åpollo' })
  await change([9], { folder: 'trash' })
  // Its mail program does not show the junk.
  await sql`
    insert into imap_unsubscribed (organization_id, mailbox_id, folder_id)
    select organization_id, mailbox_id, id from mail_folders
    where organization_id = ${organization.id} and name = 'junk'`.execute(world.db)
  // It has read the structure of the large message.
  await sql`
    insert into mail_structures (organization_id, content_id, structure)
    select organization_id, id, '{}' from mail_contents
    where organization_id = ${organization.id} and bytes is null limit 1`.execute(world.db)
}

/** Indirect rows: deleted labels, answers to mail, senders of forwarded mail. */
async function leaveTraces(world: World, { organization, address, ids }: Furnished): Promise<void> {
  await organization.request('POST', `/v1/webhooks/${ids.webhook}/replay`, { after: '0'.repeat(28) })
  const gone = await organization.request('POST', '/v1/labels', { name: 'Gone' })
  await sql`
    insert into catch_alls (domain_id, organization_id, mailbox_id)
    select domain_id, organization_id, id from mailboxes where address = ${address}`.execute(world.db)
  await organization.request('DELETE', `/v1/labels/${gone.body.id}`)
  await organization.request('PATCH', '/v1/forwarding', {
    ...{ mailbox: address, forward_to: 'ada@away.example', forward_enabled: true },
    ...{ reply_body: 'I am away.', reply_enabled: true },
  })
  assert.equal((await organization.request('POST', `/v1/drafts/${ids.finishedDraft}/send`, {})).status, 202)
  const far = `${'far.'.repeat(10)}example`
  const from = `${'a'.repeat(60)}@${far}`
  world.dns.set(far, { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  await world.send({ envelope: { from, to: address }, from, to: address, subject: 'Hello', text: 'Hello' })
  await world.outbound.processAll()
  const { id } = await world.db.selectFrom('return_paths').select('id').executeTakeFirstOrThrow()
  await world.send({ envelope: { from: '', to: `srs=${id}@${organization.domain}` }, raw: deliveryReport() })
  await sql`
    insert into mta_sts_policies (domain, id, mode, mx, until)
    values ('far.example', '1', 'enforce', '{"*.far.example"}', now() + interval '1 day')`.execute(world.db)
  await sql`
    insert into member_signatures (organization_id, member_id, mailbox_id, text, html)
    select organization_id, ${ids.member}, id, 'Grace', '<div>Grace</div>' from mailboxes where address = ${address}`.execute(
    world.db,
  )
}

async function askOnce({ organization }: Furnished): Promise<UsedInstallation['asked']> {
  const [key, body] = ['once', { name: 'Asked once' }]
  const answer = await organization.request('POST', '/v1/labels', body, { headers: { 'idempotency-key': key } })
  return { key, body, answer: answer.body }
}

async function schedule({ organization, address }: Furnished, { subject, to, sendAt }: UsedInstallation['scheduled']) {
  const content = Buffer.alloc(2 ** 20 + 7, 'An attachment. ').toString('base64')
  const { status } = await organization.request('POST', '/v1/scheduled', {
    ...{ from: address, to, subject, text: 'Later', send_at: sendAt.toISOString() },
    attachments: [{ filename: 'a.txt', content }],
  })
  assert.equal(status, 201)
}

/** The API's answers to all reading requests about them. */
export async function allAnswers(world: World, organizations: readonly Furnished[]): Promise<Record<string, unknown>> {
  // A picture lies on another server, and what became of sent mail and runs of filters go on as the service runs.
  const here = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && !/\/picture$|\/sent\b|\/filter-runs\b/.test(path)
  const operations = (await everyOperation(world)).filter(here)
  const answers: Record<string, unknown> = {}
  // Whether the index is complete is an answer too.
  await world.searchIndexer?.processAll()
  for (const organization of organizations) {
    const { key, domain } = organization.organization
    const ask = async (path: string) => {
      const { status, body, bytes } = await world.client.request('GET', path, { key })
      assert.equal(status, 200, path)
      answers[`${domain} ${path}`] = body ?? bytes.toString('base64')
      return body
    }
    for (const { path, sample } of operations) await ask(pathOf(path, sample, organization))
    for (const { address, kind } of (await ask('/v1/mailboxes')).data) {
      if (kind === 'private') continue
      for (const { name } of (await ask(`/v1/folders?mailbox=${address}`)).data) {
        const within = `mailbox=${address}&folder=${encodeURIComponent(name)}&limit=100`
        for (const { uid } of (await ask(`/v1/messages?${within}`)).data)
          await ask(`/v1/messages/${uid}/raw?mailbox=${address}&folder=${encodeURIComponent(name)}`)
        await ask(`/v1/threads?${within}`)
      }
      await ask(`/v1/conversations?mailbox=${address}&limit=100`)
    }
  }
  return answers
}

/** All rows of all tables that outlive a crash, each by how it begins and a digest, and what the sequences give next. */
export async function allRows(db: Db): Promise<Record<string, readonly string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relpersistence = 'p'
      and relname <> 'schema_migrations'`.execute(db)
  const found: Record<string, readonly string[]> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`
      select left("whole row"::text, 300) || ' ' || md5("whole row"::text) as text from ${sql.table(name)} "whole row"`.execute(
      db,
    )
    found[name] = rows.map(({ text }) => text).sort()
  }
  const { rows: all } = await sql<{ name: string }>`select sequencename as name from pg_sequences`.execute(db)
  const sequences: string[] = []
  for (const { name } of all) {
    const { rows } = await sql<{ next: number }>`
      select last_value + is_called::integer as next from ${sql.table(name)}`.execute(db)
    sequences.push(`${name} ${rows[0]?.next}`)
  }
  return { ...found, sequences: sequences.sort() }
}
