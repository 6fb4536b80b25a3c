import assert from 'node:assert/strict'
import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '#/base/clock/manual.ts'
import { SmtpListener } from '#/smtp/protocol/smtp-listener.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { Certificate } from './certificate.ts'

const directory = directoryOfFile()

const files = () => ({ cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') })
const old = certificateFor('old.example')
const renewed = certificateFor('renewed.example')

beforeEach(async () => {
  await rm(files().cert, { force: true })
  await writeFile(files().cert, old.cert)
  await writeFile(files().key, old.key)
})

/** A listener with the old certificate, and whose certificate a client gets that comes now. */
async function listener() {
  const clock = new ManualClock(new Date())
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line).msg) })
  const tls = await Certificate.open(files(), clock, log)
  const nobody = () => Promise.reject(new Error('no mail comes here'))
  const handler = { admit: nobody, receive: nobody }
  const smtp = new SmtpListener({ hostname: 'mx.example', tls, limits: { greetingDelay: 0 } }, handler, clock, log)
  await smtp.listen('127.0.0.1', 0)
  const shown = async () => {
    await using client = await SmtpClient.greeted(smtp.port)
    await client.startTls()
    return client.peerName
  }
  const aMinuteLater = () => {
    clock.advance(60_000)
    return shown()
  }
  return { shown, aMinuteLater, lines, [Symbol.asyncDispose]: () => smtp[Symbol.asyncDispose]() }
}

test('a renewed certificate is shown within a minute', async () => {
  await using server = await listener()
  await writeFile(files().cert, renewed.cert)
  await writeFile(files().key, renewed.key)
  assert.equal(await server.shown(), 'old.example')
  assert.equal(await server.aMinuteLater(), 'renewed.example')
  assert.deepEqual(server.lines, ['a new certificate is in use'])
})

test('so is one behind a changed symbolic link', async () => {
  const { cert, key } = files()
  await rename(cert, `${cert}.1`)
  await symlink(`${cert}.1`, cert)
  await using server = await listener()
  await writeFile(`${cert}.2`, renewed.cert)
  await writeFile(key, renewed.key)
  await symlink(`${cert}.2`, `${cert}.new`)
  await rename(`${cert}.new`, cert)
  assert.equal(await server.aMinuteLater(), 'renewed.example')
})

const { cert, key } = renewed
for (const [what, change] of [
  ['has another key', () => writeFile(files().cert, cert)],
  ['is cut off', () => writeFile(files().cert, cert.slice(0, 100))],
  ['is not there', () => rm(files().cert)],
] as const)
  test(`a certificate that ${what} leaves the old one in use, is logged once, and used when it is whole`, async () => {
    await using server = await listener()
    await change()
    assert.equal(await server.aMinuteLater(), 'old.example')
    assert.equal(await server.aMinuteLater(), 'old.example')
    assert.deepEqual(server.lines, ['the new certificate is unusable; the old one stays in use'])
    await writeFile(files().cert, cert)
    await writeFile(files().key, key)
    assert.equal(await server.aMinuteLater(), 'renewed.example')
  })

test('a certificate that is unusable in another way is logged again', async () => {
  await using server = await listener()
  await writeFile(files().cert, cert.slice(0, 100))
  await server.aMinuteLater()
  await rm(files().cert)
  await server.aMinuteLater()
  assert.equal(server.lines.length, 2)
})

test('a start with a certificate that cannot be used fails', async () => {
  await writeFile(files().key, key)
  await assert.rejects(listener(), /key values mismatch/)
})
