// On both databases: one message arrives several times at once.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { hand as handTo, letter, messagesIn, newestIn, subjectsIn } from '#test/world/letters/letter.ts'
import { testCertificate } from '#test/world/sockets/certificate.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile({ env: { MAILROOM_HOSTNAME: 'mx.host.test' } })

const hand = (from: string, to: string | string[], message?: string) => handTo(world, from, to, message)

describe('who can be written to', async () => {
  const organization = await world.organization()
  const ada = await organization.mailbox('ada')
  const answers = async (expected: string, ...addresses: readonly string[]) => {
    for (const address of addresses) assert.equal(await hand('ann@peer.example', address), expected, address)
  }

  test('a mailbox of a verified domain, and its aliases, in any case, quoted or not, with or without a tag', async () => {
    const names = ['ada', 'ADA', 'Ada+a+b', '"ada"', '"a\\da"', '"ada+news"', 'postmaster', 'ABUSE', 'abuse+x']
    await answers('250 2.6.0', ...names.map((local) => `${local}@${organization.domain}`))
    assert.equal(await hand('', `ada@${organization.domain.toUpperCase()}`), '250 2.6.0')
    assert.equal((await messagesIn(organization, ada.address)).length, 10)
  })

  test('<postmaster> without a domain: 250, for the postmaster of the domain that was here first', async () => {
    const before = (await messagesIn(organization, ada.address)).length
    await answers('250 2.6.0', 'Postmaster')
    assert.equal((await messagesIn(organization, ada.address)).length, before + 1)
  })

  test('an unknown recipient: 550 5.1.1; a domain that is not ours, or only claimed: 550 5.7.1', async () => {
    const unknown = ['nobody', '+ada', 'ada.', 'nobody+ada', '"a da"']
    await answers('550 5.1.1', ...unknown.map((local) => `${local}@${organization.domain}`))
    const claims = { organization_id: organization.id, domain: 'claimed.test', status: 'pending' as const }
    await world.db.insertInto('domains').values(claims).execute()
    const domains = ['elsewhere.test', `sub.${organization.domain}`, '[127.0.0.1]', 'test', 'claimed.test']
    await answers('550 5.7.1', ...domains.map((domain) => `ada@${domain}`))
  })

  for (const table of ['mailboxes', 'domains'] as const)
    test(`of a suspended one of ${table} RCPT hears 550 5.2.1, and one that is suspended after RCPT takes none of the message`, async () => {
      const own = await world.organization()
      const other = await world.organization()
      const [carl, bob] = [await own.mailbox('carl'), await other.mailbox('bob')]
      const suspended_at = new Date()
      const meanwhile = async (recipients: readonly string[], message: string) => {
        await world.db.updateTable(table).set({ suspended_at: null }).execute()
        await using client = await SmtpClient.greeted(world.smtp.port)
        assert.equal((await client.begin('ann@peer.example', recipients)).code, 354)
        await world.db.updateTable(table).set({ suspended_at }).where('organization_id', '=', other.id).execute()
        client.write(`${message}\r\n.\r\n`)
        return (await client.reply()).codes
      }
      assert.equal(await hand('ann@peer.example', bob.address), '250 2.6.0')
      assert.equal(await meanwhile([bob.address], letter()), '550 5.2.1')
      assert.equal(await hand('ann@peer.example', bob.address), '550 5.2.1')
      assert.equal(await meanwhile([bob.address], letter({ 'Message-ID': undefined })), '550 5.2.1')
      const both = letter()
      assert.equal(await meanwhile([carl.address, bob.address], both), '451 4.2.1')
      assert.deepEqual(await messagesIn(own, carl.address), [])
      assert.equal(await hand('ann@peer.example', carl.address, both), '250 2.6.0')
      assert.equal((await messagesIn(own, carl.address)).length, 1)
      assert.equal((await messagesIn(other, bob.address)).length, 1)
      await world.db.updateTable(table).set({ suspended_at: null }).execute()
    })

  test('an organization without room: 452 4.2.2, until it has room again', async () => {
    const other = await world.organization({ plan: 'free' })
    const bob = await other.mailbox('bob')
    const usage = world.db.updateTable('organization_usage').where('organization_id', '=', other.id)
    const use = (storage_bytes: number) => usage.set({ storage_bytes }).execute()
    await use(5 * 2 ** 30)
    assert.equal(await hand('ann@peer.example', bob.address), '452 4.2.2')
    await use(5 * 2 ** 30 - 1)
    assert.equal(await hand('ann@peer.example', bob.address), '250 2.6.0')
  })

  test('more than 100 Received: 554 5.4.6', async () => {
    const hops = (count: number) => 'Received: from a by b; Fri, 21 Nov 2025 07:44:33 +0000\r\n'.repeat(count)
    assert.equal(await hand('ann@peer.example', ada.address, hops(100) + letter()), '250 2.6.0')
    assert.equal(await hand('ann@peer.example', ada.address, hops(101) + letter()), '554 5.4.6')
  })

  test('a header beyond what is read, and one with many From: 554 5.6.0', async () => {
    for (const fields of ['X: y\r\n'.repeat(10_001), 'From: a@b.example\r\n'.repeat(10)])
      assert.equal(await hand('ann@peer.example', ada.address, fields + letter()), '554 5.6.0')
  })

  test('a message of nearly 25 MiB is stored whole', async () => {
    const line = `${'x'.repeat(1022)}\r\n`
    const message = letter({ Subject: 'Large' }, line.repeat(25 * 1024 - 1))
    assert.equal(await hand('ann@peer.example', ada.address, message), '250 2.6.0')
    assert.ok((await newestIn(organization, ada.address)).endsWith(`${message}\r\n`))
  })
})

test('a message is stored with what we know of it in front, and otherwise as it came', async () => {
  const { organization, address } = await world.mailbox('ada')
  world.dns.set('peer.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  const fields = { 'Authentication-Results': 'mx.host.test; dkim=pass header.d=bank.example', To: 'ada' }
  const message = letter(fields, '.\r\n\xe4')
  const forged = `Authentication-Results: MX.host.test; spf=pass\r\nAuthentication-Results: other.example; spf=fail\r\n`
  assert.equal(await hand('ann@peer.example', address, forged + message), '250 2.6.0')
  const text = await newestIn(organization, address)
  const [head = ''] = text.split('Authentication-Results: other.example')
  assert.match(head, /^Return-Path: <ann@peer\.example>\r\nAuthentication-Results: mx\.host\.test;\r\n\tspf=pass/)
  assert.match(
    head,
    /\nReceived: from peer\.example \(\[127\.0\.0\.1\]\)\r\n\tby mx\.host\.test with ESMTP id \w+\r\n\tfor </,
  )
  assert.ok(!text.includes('bank.example'))
  assert.ok(text.endsWith('To: ada\r\n\r\n.\r\n\xc3\xa4\r\n'))
})

test('one message may go to several mailboxes of several organizations, and to one of them by several addresses', async () => {
  const [one, two] = [await world.organization(), await world.organization()]
  const [ada, bob, cy] = [await one.mailbox('ada'), await one.mailbox('bob'), await two.mailbox('cy')]
  const to = [
    ...[ada.address, `ada+x@${one.domain}`, bob.address, `postmaster@${two.domain}`, cy.address, `no@${two.domain}`],
  ]
  await using client = await SmtpClient.greeted(world.smtp.port)
  client.write(`MAIL FROM:<ann@peer.example>\r\n${to.map((one) => `RCPT TO:<${one}>\r\n`).join('')}DATA\r\n`)
  const replies: number[] = []
  for (let n = 0; n < to.length + 2; n++) replies.push((await client.reply()).code)
  assert.deepEqual(replies, [250, 250, 250, 250, 250, 250, 550, 354])
  client.write(`${letter({ Subject: 'To all' })}\r\n.\r\n`)
  assert.equal((await client.reply()).code, 250)
  for (const [organization, { address }] of [
    [one, ada],
    [one, bob],
    [two, cy],
  ] as const) {
    assert.deepEqual(await subjectsIn(organization, address), ['To all'])
    const text = await newestIn(organization, address)
    for (const other of to) assert.ok(!text.includes(other), 'no recipient learns of another')
  }
})

test('addresses outside ASCII reach a domain by its ASCII form, with SMTPUTF8', async () => {
  const organization = await world.organization()
  const domain = { organization_id: organization.id, domain: 'xn--bcher-kva.test', status: 'verified' as const }
  await world.db.insertInto('domains').values(domain).execute()
  const named = { organizationId: organization.id, domain: domain.domain, localPart: 'ada' }
  const { address } = await world.db.transaction().execute((tx) => createMailbox(tx, named, byOperator))
  await using client = await SmtpClient.greeted(world.smtp.port)
  assert.equal((await client.say('MAIL FROM:<žofie@příklad.example> BODY=8BITMIME SMTPUTF8')).code, 250)
  assert.equal((await client.say('RCPT TO:<Ada@BÜCHER.test>')).code, 250)
  assert.equal((await client.say('DATA')).code, 354)
  client.write(Buffer.from(`${letter({ From: 'Žofie <žofie@příklad.example>', Subject: 'Ahoj, kůň' })}\r\n.\r\n`))
  assert.equal((await client.reply()).code, 250)
  assert.deepEqual(await subjectsIn(organization, address), ['Ahoj, kůň'])
  const text = Buffer.from(await newestIn(organization, address), 'latin1').toString()
  assert.match(text, /^Return-Path: <žofie@příklad\.example>\r\n/)
  assert.match(text, / with UTF8SMTP id /)
})

test('with a certificate mail comes over TLS, and Received says so', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-tls-'))
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
  await writeFile(cert, testCertificate.cert)
  await writeFile(key, testCertificate.key)
  await using secured = await World.start({ env: { MAILROOM_TLS_CERT: cert, MAILROOM_TLS_KEY: key } })
  await rm(directory, { recursive: true })
  const { organization, address } = await secured.mailbox('ada')
  await using client = await SmtpClient.greeted(secured.smtp.port)
  assert.equal((await client.startTls()).code, 220)
  await client.say('EHLO peer.example')
  assert.equal((await client.send('ann@peer.example', address, letter())).code, 250)
  assert.match(await newestIn(organization, address), / with ESMTPS id \w+ \(TLSv1\.3 TLS_\w+\)\r\n/)
})

test('the log tells of messages stored and refused, and nothing that they say', async () => {
  const lines: string[] = []
  await using logged = await World.start({ log: { write: (line: string) => lines.push(line) } })
  const { address } = await logged.mailbox('ada')
  const message = letter({ Subject: 'Secret subject', From: 'Secret name <ann@peer.example>' }, 'Secret body')
  assert.equal(await handTo(logged, 'ann@peer.example', address, message), '250 2.6.0')
  assert.equal(await handTo(logged, 'ann@peer.example', address, `${message}\0`), '554 5.6.0')
  assert.equal(await handTo(logged, 'ann@peer.example', `no-${address}`, message), '550 5.1.1')
  const entries = lines.map((line) => JSON.parse(line))
  const [stored] = entries.filter(({ msg }) => msg === 'message stored')
  const said = { sender: 'ann@peer.example', recipients: [address], octets: message.length + 2 }
  assert.partialDeepStrictEqual(stored, { ...said, folders: [{ folder: 'inbox' }] })
  for (const what of ['message refused', 'recipient refused']) assert.ok(entries.some(({ msg }) => msg === what))
  assert.ok(!lines.join('').includes('Secret'))
})

test('a message that comes several times at the same time is answered with 250 each time, and stored once', async () => {
  const { organization, address } = await world.mailbox('cy')
  const message = letter({ Subject: 'At once' })
  const answers = await Promise.all(Array.from({ length: 10 }, () => hand('ann@peer.example', address, message)))
  assert.deepEqual(new Set(answers), new Set(['250 2.6.0']))
  assert.deepEqual(await subjectsIn(organization, address), ['At once'])
})
