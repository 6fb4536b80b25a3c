// On both databases: two programs share an allowance at once.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { each } from '#test/world/each.ts'
import { senderBehind } from '#test/world/letters/bounce-address.ts'
import { newestIn, subjectsIn } from '#test/world/letters/letter.ts'
import { opened, privateMailbox, storedIn } from '#test/world/mail/private-mailbox.ts'
import { loggedIn, startSubmitting, submittingMailbox, written } from '#test/world/mail/submission.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'

const { world, sink, organization, port, ...on } = await startSubmitting()
after(() => on[Symbol.asyncDispose]())
const ada = await submittingMailbox(organization, 'ada', { name: 'Ada' })
const bob = await submittingMailbox(organization, 'bob')
await signingDomain(world, organization)

const letter = (fields?: Record<string, string | undefined>, body?: string) => written(ada.address, fields, body)

/** What leaves. */
async function taken() {
  await world.outbound.processAll()
  return sink.taken.splice(0)
}

describe('sending', () => {
  test('a message goes out signed, without its Bcc, and lies in Sent with it', async () => {
    await using client = await loggedIn(port, ada.address)
    const to = ['bob@there.example', 'eve@there.example', 'BOB@there.example']
    const message = letter({ Bcc: 'eve@there.example' }, '.dots\r\nand Grüße')
    assert.equal((await client.send(ada.address, to, message)).codes, '250 2.6.0')
    const [sent, ...more] = await taken()
    assert.deepEqual([senderBehind(sent?.from), sent?.to.toSorted(), more], [ada.address, to.slice(0, 2), []])
    const wire = sent?.bytes.toString() ?? ''
    assert.doesNotMatch(wire, /^bcc:|laptop\.example \(|127\.0\.0\.1/im)
    assert.match(wire, /^Received: by \S+ with ESMTPSA id \S+;\r\n\t/m)
    assert.ok(wire.endsWith('\r\n\r\n.dots\r\nand Grüße\r\n'))
    const resolver = (name: string) => world.dns.txt(name)
    const curTime = new Date(world.clock.now())
    const { results } = await dkimVerify(sent?.bytes ?? Buffer.alloc(0), { resolver, curTime })
    const signed = results.map(({ status, signingDomain }) => `${status.result} ${signingDomain}`)
    assert.deepEqual(signed, Array(2).fill(`pass ${organization.domain}`))
    const copy = await newestIn(organization, ada.address, 'sent')
    assert.equal(copy, `Bcc: eve@there.example\r\n${sent?.bytes.toString('latin1')}`)
  })

  test('its copy for Sent names its Message-ID, by which the store of mail knows the copy that a program stores itself', async () => {
    await using client = await loggedIn(port, ada.address)
    const message = letter({ 'Message-ID': '<own@laptop.example>' })
    assert.equal((await client.send(ada.address, 'bob@there.example', message)).codes, '250 2.6.0')
    const { rows } = await sql`
      select folder.name, message.yields_until is not null as yields from mail_messages message
      join mail_contents content on content.id = message.content_id join mail_folders folder on folder.id = message.folder_id
      where content.message_id = '<own@laptop.example>'`.execute(world.db)
    assert.deepEqual(rows, [{ name: 'sent', yields: true }])
    await taken()
  })

  test('an alias is an own address, a tag belongs to it, and it signs for its domain', async () => {
    await using client = await loggedIn(port, ada.address)
    for (const from of [`postmaster@${organization.domain}`, ada.address.replace('@', '+shop@')]) {
      const sender = from.toUpperCase()
      assert.equal((await client.send(sender, 'bob@there.example', letter({ From: from }))).codes, '250 2.6.0')
      assert.equal(senderBehind((await taken())[0]?.from), from)
    }
    const bobs = { address: ada.address.replace('@', '+bob@'), mailbox_id: bob.id, alias: true }
    await world.db
      .insertInto('addresses')
      .values({ organization_id: organization.id, ...bobs })
      .execute()
    assert.equal((await client.say(`MAIL FROM:<${bobs.address}>`)).codes, '553 5.7.1')
  })

  test("nobody's address but one's own is let through, in the envelope or in the message", async () => {
    await using client = await loggedIn(port, ada.address)
    const stranger = await world.organization()
    const other = await stranger.mailbox('ada')
    for (const sender of [bob.address, other.address, 'ada@bank.example', `nobody@${organization.domain}`]) {
      const { lines } = await client.say(`MAIL FROM:<${sender}>`)
      assert.match(lines.join(), new RegExp(`^553 5\\.7\\.1 ${ada.address} may not send as ${sender}`))
    }
    for (const fields of [{ From: `ceo@bank.example, ${ada.address}` }, { Sender: bob.address }])
      assert.equal((await client.send(ada.address, 'bob@there.example', letter(fields))).codes, '553 5.7.1')
    const unclear = letter({ From: 'Ada' })
    assert.equal((await client.send(ada.address, 'bob@there.example', unclear)).codes, '554 5.6.0')
    assert.deepEqual(await taken(), [])
  })

  test('a read receipt comes from nobody, and nothing else does', async () => {
    await using client = await loggedIn(port, ada.address)
    assert.equal((await client.send('', 'bob@there.example', letter())).codes, '550 5.7.1')
    const receipt = letter({ 'Content-Type': 'multipart/report; report-type=disposition-notification; boundary=x' })
    assert.equal((await client.send('', 'bob@there.example', receipt)).codes, '250 2.6.0')
    assert.deepEqual(each(await taken(), 'from'), [''])
  })

  test('who is not here is known at RCPT, and what is no address', async () => {
    await using client = await loggedIn(port, ada.address)
    await client.say(`MAIL FROM:<${ada.address}>`)
    assert.equal((await client.say(`RCPT TO:<nobody@${organization.domain}>`)).codes, '550 5.1.1')
    assert.equal((await client.say('RCPT TO:<bob@[192.0.2.1]>')).codes, '553 5.1.3')
    assert.equal((await client.say('RCPT TO:<bob@localhost>')).codes, '553 5.1.3')
    assert.equal((await client.say(`RCPT TO:<${bob.address}>`)).codes, '250 2.1.5')
  })

  test('internationalised addresses and headers go as such', async () => {
    await using client = await loggedIn(port, ada.address)
    const message = letter({ To: 'Jürgen <jürgen@there.example>', Subject: 'Grüße' })
    await client.say(`MAIL FROM:<${ada.address}> SMTPUTF8 BODY=8BITMIME`)
    client.write(Buffer.from('RCPT TO:<jürgen@there.example>\r\n'))
    assert.equal((await client.reply()).codes, '250 2.1.5')
    assert.equal((await client.say('DATA')).code, 354)
    client.write(Buffer.from(`${message}\r\n.\r\n`))
    assert.equal((await client.reply()).codes, '250 2.6.0')
    const [sent] = await taken()
    assert.match(sent?.parameters ?? '', /SMTPUTF8/)
    assert.deepEqual(sent?.to, ['jürgen@there.example'])
    assert.ok(sent?.bytes.toString().includes('Subject: Grüße\r\n'))
  })

  test('what a client says in AUTH= of MAIL counts for nothing', async () => {
    await using client = await loggedIn(port, ada.address)
    assert.equal((await client.say(`MAIL FROM:<${ada.address}> AUTH=<>`)).codes, '250 2.1.0')
    assert.equal((await client.say('RSET')).codes, '250 2.0.0')
    assert.equal((await client.say(`MAIL FROM:<${bob.address}> AUTH=${bob.address}`)).codes, '553 5.7.1')
  })

  test('recipients are counted against the day: over the plan nothing is sent, and the program gets an error at once', async () => {
    const free = await world.organization({ plan: 'free' })
    const { address } = await submittingMailbox(free, 'eve')
    const message = letter({ From: address })
    await using client = await loggedIn(port, address)
    await using other = await loggedIn(port, address)
    const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}@there.example`)
    assert.equal((await client.send(address, many('a', 90), message)).codes, '250 2.6.0')
    const full = await client.send(address, many('b', 11), message)
    assert.match(
      full.lines.join(),
      /^452 4\.7\.1 Daily sending allowance reached: the plan allows 100 recipients a day/,
    )
    await client.say('RSET')
    // Both have room at RCPT, and one of them at the end.
    for (const one of [client, other]) {
      await one.say(`MAIL FROM:<${address}>`)
      for (const to of many('c', 10)) await one.say(`RCPT TO:<${to}>`)
      assert.equal((await one.say('DATA')).code, 354)
    }
    const answers = await Promise.all([client, other].map((one) => one.say(`${message}\r\n.`)))
    assert.deepEqual(each(answers, 'codes').sort(), ['250 2.6.0', '452 4.7.1'])
    assert.equal((await client.say(`MAIL FROM:<${address}>`)).codes, '452 4.7.1')
    const { sending } = (await free.request('GET', '/v1/usage')).body
    assert.deepEqual([sending.sent_today, sending.remaining_today], [100, 0])
    assert.equal((await subjectsIn(free, address, 'sent')).length, 2)
    assert.equal((await taken()).length, 2)
  })
})

test('a Private mailbox sends, and its copy in Sent is encrypted to its key', async () => {
  const mine = await privateMailbox(organization, 'quiet')
  const hash = world.db.selectFrom('mailboxes').select('password_hash').where('id', '=', ada.id)
  await world.db.updateTable('mailboxes').set({ password_hash: hash }).where('id', '=', mine.id).execute()
  await using client = await loggedIn(port, mine.address)
  const message = letter({ From: mine.address, Subject: 'Quietly', Bcc: 'eve@there.example' }, 'Between us')
  assert.equal((await client.send(mine.address, 'bob@there.example', message)).codes, '250 2.6.0')
  const [sent] = await taken()
  assert.match(sent?.bytes.toString() ?? '', /Between us/)
  const [stored = Buffer.alloc(0)] = await storedIn(organization, mine.id, 'sent')
  assert.doesNotMatch(stored.toString(), /Quietly|Between us|eve@there/)
  const copy = await opened(stored, mine.privateKey)
  assert.equal(copy.toString('latin1'), `Bcc: eve@there.example\r\n${sent?.bytes.toString('latin1')}`)
  assert.match(stored.toString(), new RegExp(`^Message-ID: ${/^Message-ID: (.*)\r$/m.exec(message)?.[1]}\r$`, 'm'))
})
