import assert from 'node:assert/strict'
import { test } from 'node:test'
import { example } from '#test/deploy/example.ts'
import { directoryOfFile, ofFile } from '#test/world/of-file.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { World } from '#test/world/world.ts'
import { certificates, Postfix, settingsOf } from './postfix.ts'

/** Postfix has it among its domains, and we do not. */
const unverified = 'unverified.example'

/** Postfix accepts mail, asks us at RCPT, and delivers by LMTP. */
const world = await World.ofFile({ env: { MAILROOM_LMTP_PORT: '0', MAILROOM_POLICY_PORT: '0' } })
const { organization, address: ada } = await world.mailbox('ada')
const bob = (await organization.mailbox('bob')).address
const directory = directoryOfFile()
const mainCf = await example('postfix/main.cf', {
  ...(await certificates(directory, certificateFor('mail.dest.test'))),
  'example.com': `${organization.domain}, ${unverified}`,
  '127.0.0.1:24': `127.0.0.1:${world.lmtp?.port}`,
  '127.0.0.1:10031': `127.0.0.1:${world.policy?.port}`,
})
const settings = {
  ...settingsOf(mainCf),
  // So that this test can come from elsewhere.
  smtpd_authorized_xclient_hosts: '127.0.0.1',
}
const postfix = ofFile(await Postfix.start(settings, certificateFor('mx.dest.test')))

/** A client that Postfix takes for one at 192.0.2.1. */
async function peer(): Promise<SmtpClient> {
  const client = await SmtpClient.open(postfix.port)
  await client.reply()
  await client.say('EHLO localhost')
  await client.say('XCLIENT ADDR=192.0.2.1 NAME=peer.example')
  await client.say('EHLO peer.example')
  return client
}

/** A message of a mailbox as soon as it is there: its folder, and its bytes. */
const arrived = (address: string, wanted: string) =>
  postfix.until(async () => {
    for (const folder of ['inbox', 'junk']) {
      const place = `mailbox=${address}&folder=${folder}`
      const { data } = (await organization.request('GET', `/v1/messages?${place}`)).body
      const found = data.find(({ subject }: { subject: string }) => subject === wanted)
      if (!found) continue
      const { bytes } = await organization.request('GET', `/v1/messages/${found.uid}/raw?${place}`)
      return { folder, raw: bytes.toString() }
    }
    return undefined
  })

test('Postfix refuses at RCPT whom we would refuse, in our words', async () => {
  await organization.request('POST', '/v1/blocked-senders', { pattern: '@bad.example' })
  await using client = await peer()
  await client.say('MAIL FROM:<ann@peer.example>')
  const unknown = await client.say(`RCPT TO:<nobody@${organization.domain}>`)
  assert.match(unknown.lines.join(), /^550 5\.1\.1 .*No such address here/)
  assert.equal((await client.say(`RCPT TO:<${ada}>`)).code, 250)
  await client.say('RSET')
  await client.say('MAIL FROM:<spam@bad.example>')
  const blocked = await client.say(`RCPT TO:<${ada}>`)
  assert.match(blocked.lines.join(), /^550 5\.7\.1 .*Sender blocked by the recipient/)
})

test('what it hands on is judged by where it came from', async () => {
  world.dns.set('peer.example', { txt: ['v=spf1 ip4:192.0.2.1 -all'] })
  world.dns.set('_dmarc.peer.example', { txt: ['v=DMARC1; p=reject'] })
  await using client = await peer()
  const message = 'From: Ann <ann@peer.example>\r\nSubject: Through Postfix\r\nMessage-ID: <1@peer.example>\r\n\r\nHi'
  assert.equal((await client.send('ann@peer.example', [ada, bob], message)).code, 250)
  for (const address of [ada, bob]) {
    const { folder, raw } = await arrived(address, 'Through Postfix')
    assert.equal(folder, 'inbox')
    assert.match(raw, /spf=pass\s+smtp\.mailfrom=ann@peer\.example/)
    assert.match(raw, /dmarc=pass/)
    assert.match(raw, /^Received: from mx\.dest\.test \(\[127\.0\.0\.1\]\)\r\n\tby \S+ with LMTP id/m)
  }
})

test('what cannot be judged while the DNS is silent waits in Postfix, and is judged when it speaks again', async () => {
  world.dns.set('silent.example', { txt: ['v=spf1 ip4:192.0.2.1 -all'] })
  world.dns.set('_dmarc.silent.example', { fails: 'timeout' })
  await using client = await peer()
  const message = 'From: Ann <ann@silent.example>\r\nSubject: Patient\r\nMessage-ID: <4@silent.example>\r\n\r\nHi'
  assert.equal((await client.send('x@peer.example', bob, message)).code, 250)
  await postfix.logs(new RegExp(`to=<${bob}>.*status=deferred .* said: 451 4\\.7\\.26 `))
  world.dns.set('_dmarc.silent.example', { txt: ['v=DMARC1; p=quarantine'] })
  await postfix.command('flush')
  assert.equal((await arrived(bob, 'Patient')).folder, 'junk')
})

test('for a domain that it has and we have not verified, Postfix accepts a message that it then has to return', async () => {
  const message = 'From: Ann <ann@peer.example>\r\nSubject: Too early\r\nMessage-ID: <3@peer.example>\r\n\r\nHi'
  for (const enrolled of [false, true]) {
    if (enrolled) {
      const { status } = await organization.request('POST', '/v1/domains', { domain: unverified })
      assert.equal(status, 201)
    }
    await using client = await peer()
    const name = enrolled ? 'enrolled' : 'unknown'
    assert.equal((await client.send('ann@peer.example', `${name}@${unverified}`, message)).code, 250)
    await postfix.logs(new RegExp(`to=<${name}@${unverified}>.*status=bounced .* said: 550 5\\.7\\.1 `))
  }
})

test('a sender is shown the certificate that the sample names, not the one that Postfix had', async () => {
  await using client = await SmtpClient.greeted(postfix.port)
  assert.equal((await client.startTls()).code, 220)
  assert.equal(client.peerName, 'mail.dest.test')
})
