// On both databases: several guess at once.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { loggedIn, password, plain, secured, startSubmitting, submittingMailbox } from '#test/world/mail/submission.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'

const { world, organization, port, ...on } = await startSubmitting({ env: { MAILROOM_METRICS_PORT: '0' } })
after(() => on[Symbol.asyncDispose]())
const ada = await submittingMailbox(organization, 'ada', { name: 'Ada' })

describe('logging in', () => {
  test('before TLS nobody can, and no message begins', async () => {
    await using client = await SmtpClient.open(port)
    await client.reply()
    const { lines } = await client.say('EHLO laptop.example')
    assert.ok(lines.includes('250 STARTTLS'))
    assert.doesNotMatch(lines.join('\n'), /AUTH/)
    assert.equal((await client.say(plain(ada.address))).codes, '538 5.7.11')
    assert.equal((await client.say(`MAIL FROM:<${ada.address}>`)).codes, '530 5.7.0')
  })

  test('after STARTTLS it is offered, once', async () => {
    await using client = await secured(port)
    assert.ok((await client.say('EHLO laptop.example')).lines.includes('250 AUTH PLAIN LOGIN'))
    assert.equal((await client.say(`MAIL FROM:<${ada.address}>`)).codes, '530 5.7.0')
    assert.equal((await client.say(plain(ada.address.toUpperCase()))).codes, '235 2.7.0')
    assert.equal((await client.say(plain(ada.address))).codes, '503 5.5.1')
    assert.doesNotMatch((await client.say('EHLO laptop.example')).lines.join('\n'), /AUTH|STARTTLS/)
    assert.equal((await client.say(`MAIL FROM:<${ada.address}>`)).codes, '250 2.1.0')
  })

  test('where TLS is on from the start, too, and by LOGIN', async () => {
    await using client = await SmtpClient.openTls(world.submissionTls?.port ?? 0)
    await client.reply()
    assert.ok((await client.say('EHLO laptop.example')).lines.includes('250 AUTH PLAIN LOGIN'))
    assert.deepEqual((await client.say('AUTH LOGIN')).lines, ['334 VXNlcm5hbWU6'])
    assert.deepEqual((await client.say(Buffer.from(ada.address).toString('base64'))).lines, ['334 UGFzc3dvcmQ6'])
    assert.equal((await client.say(Buffer.from(password).toString('base64'))).codes, '235 2.7.0')
  })

  test('logins are counted by how they ended', async () => {
    await using client = await secured(port)
    assert.equal((await client.say(plain('nobody@counted.example'))).code, 535)
    assert.equal((await client.say(plain(ada.address))).code, 235)
    const text = await (await fetch(`http://127.0.0.1:${world.metrics?.port}/metrics`)).text()
    for (const outcome of ['accepted', 'refused'])
      assert.match(text, new RegExp(`^mailroom_logins_total\\{outcome="${outcome}"\\} [1-9]`, 'm'))
    assert.doesNotMatch(text, /counted\.example/)
  })

  test('a wrong password, an alias, an id and an unknown address get the same reply; the third ends the session', async () => {
    const wrong: string[] = []
    for (const logins of [
      [plain(ada.address, 'wrong'), plain(`postmaster@${organization.domain}`), plain(ada.id)],
      [plain('nobody@nowhere.example'), plain(ada.address, ''), plain(`nobody@${organization.domain}`)],
    ]) {
      await using client = await secured(port)
      for (const login of logins) wrong.push((await client.say(login)).lines.join())
      assert.match(await client.rest(), /^421 4\.7\.0 /)
    }
    assert.equal(new Set(wrong).size, 1)
    assert.match(wrong[0] ?? '', /^535 5\.7\.8 /)
  })

  test('a suspended mailbox is closed, to a session that is open, too', async () => {
    const cy = await submittingMailbox(organization, 'cy')
    await using client = await loggedIn(port, cy.address)
    const suspend = (at: Date | null) =>
      world.db.updateTable('mailboxes').set({ suspended_at: at }).where('id', '=', cy.id).execute()
    await suspend(new Date())
    assert.equal((await client.say(`MAIL FROM:<${cy.address}>`)).codes, '550 5.7.1')
    await using other = await secured(port)
    assert.equal((await other.say(plain(cy.address))).codes, '535 5.7.13')
    await suspend(null)
    assert.equal((await client.say(`MAIL FROM:<${cy.address}>`)).codes, '250 2.1.0')
  })

  test('with another password a session is over, and the old one opens nothing', async () => {
    const dan = await submittingMailbox(organization, 'dan')
    await using client = await loggedIn(port, dan.address)
    const { password_hash } = await world.db
      .selectFrom('mailboxes')
      .select('password_hash')
      .where('id', '=', (await submittingMailbox(organization, 'other', { password: 'another one altogether' })).id)
      .executeTakeFirstOrThrow()
    await world.db.updateTable('mailboxes').set({ password_hash }).where('id', '=', dan.id).execute()
    assert.equal((await client.say(`MAIL FROM:<${dan.address}>`)).codes, '530 5.7.0')
    await using next = await secured(port)
    assert.equal((await next.say(plain(dan.address))).codes, '535 5.7.8')
    assert.equal((await next.say(plain(dan.address, 'another one altogether'))).codes, '235 2.7.0')
  })

  test('what begins behind AUTH without a login is no command, and the port for mail coming in knows no AUTH', async () => {
    await using client = await secured(port)
    assert.equal((await client.say('AUTH PLAIN')).code, 334)
    assert.equal((await client.say('*')).codes, '501 5.7.0')
    await using inbound = await SmtpClient.greeted(world.smtp.port)
    assert.equal((await inbound.say(plain(ada.address))).codes, '502 5.5.1')
  })
})

describe('guessing', () => {
  /** Whether a client at that address is let in. */
  async function tries(localAddress: string, login: string, secret: string): Promise<string> {
    await using client = await secured(port, { localAddress })
    return (await client.say(plain(login, secret))).codes
  }

  const later = () => sql`update login_failures set failed_at = failed_at - interval '61 minutes'`.execute(world.db)

  test('ten guesses an hour at a mailbox, right or wrong the eleventh; a repeated one is none', async () => {
    const { address } = await submittingMailbox(organization, 'guessed')
    for (let n = 0; n < 9; n++) assert.equal(await tries('127.0.0.5', address, `guess ${n}`), '535 5.7.8')
    for (let n = 0; n < 5; n++) assert.equal(await tries('127.0.0.5', address, 'guess 1'), '535 5.7.8')
    assert.equal(await tries('127.0.0.5', address, password), '235 2.7.0')
    assert.equal(await tries('127.0.0.5', address, 'guess 9'), '535 5.7.8')
    assert.equal(await tries('127.0.0.5', address, password), '454 4.7.0')
    assert.equal(await tries('127.0.0.6', address, password), '235 2.7.0')
    await later()
    assert.equal(await tries('127.0.0.5', address, password), '235 2.7.0')
  })

  test('a password for many is throttled, but not for who was let in from there lately', async () => {
    const { address } = await submittingMailbox(organization, 'neighbour')
    assert.equal(await tries('127.0.0.8', address, password), '235 2.7.0')
    for (let n = 0; n < 30; n++) assert.equal(await tries('127.0.0.8', `user${n}@x.example`, 'guess'), '535 5.7.8')
    assert.equal(await tries('127.0.0.8', ada.address, password), '454 4.7.0')
    assert.equal(await tries('127.0.0.8', address, password), '235 2.7.0')
  })

  test('nothing that is kept gives a password, an address or a client away', async () => {
    const { rows } = await sql<{ all: string }>`
      select (select string_agg(login_failures::text, ' ') from login_failures)
        || (select string_agg(login_clients::text, ' ') from login_clients) as all`.execute(world.db)
    assert.doesNotMatch(rows[0]?.all ?? '', /guess|@|127\.0/)
  })
})
