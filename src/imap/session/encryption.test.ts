import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImapClient } from '#test/world/imap/client.ts'
import { password, Serving } from '#test/world/imap/serving.ts'
import { submissionSettings } from '#test/world/mail/submission.ts'
import { ofFile } from '#test/world/of-file.ts'

const { env } = ofFile(await submissionSettings())
const serving = await Serving.ofFile({ env })
const login = `LOGIN ${serving.mailbox.address} "${password}"`

test('with a certificate no password is taken in the clear, from this machine neither', async () => {
  await using client = await ImapClient.open(serving.port)
  assert.match(await client.untagged(/^OK/), /\[CAPABILITY IMAP4rev.* STARTTLS LOGINDISABLED\]/)
  for (const command of [login, 'AUTHENTICATE PLAIN']) {
    const { status, text } = await client.run(command)
    assert.match(`${status} ${text}`, /^NO \[PRIVACYREQUIRED\]/)
  }
  assert.equal((await client.startTls()).status, 'OK')
  assert.match((await client.run('CAPABILITY')).untagged[0] ?? '', / AUTH=PLAIN AUTH=LOGIN$/)
  assert.equal((await client.run(login)).status, 'OK')
  assert.match((await client.run('STARTTLS')).text, /TLS is active already/)
})

test('what follows a STARTTLS that does not begin TLS is answered', async () => {
  await using client = await ImapClient.greeted(serving.port)
  client.write('a STARTTLS x\r\nb NOOP\r\n')
  assert.equal((await client.answer('b')).status, 'OK')
  await client.startTls()
  client.write('c STARTTLS\r\nd NOOP\r\n')
  assert.equal((await client.answer('d')).status, 'OK')
})

test('a connection that begins with TLS takes passwords, and is compressed once', async () => {
  await using client = await ImapClient.openTls(serving.world.imapTls?.port ?? 0)
  assert.doesNotMatch(await client.untagged(/^OK/), /STARTTLS|LOGINDISABLED/)
  assert.equal((await client.run('COMPRESS DEFLATE')).status, 'BAD')
  assert.match((await client.run(login)).text, / COMPRESS=DEFLATE /)
  assert.equal((await client.compress()).status, 'OK')
  assert.doesNotMatch((await client.run('CAPABILITY')).untagged[0] ?? '', /COMPRESS/)
  assert.match((await client.run('COMPRESS DEFLATE')).text, /^\[COMPRESSIONACTIVE\]/)
})
