import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '#/app/config/config.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { certificateFor, testCertificate } from '#test/world/sockets/certificate.ts'
import { certificateFinding } from './certificate.ts'

const scratch = directoryOfFile()

function file(name: string, text: string): string {
  const path = join(scratch, name)
  writeFileSync(path, text)
  return path
}

const cert = file('cert.pem', testCertificate.cert)
const key = file('key.pem', testCertificate.key)
const { privateKey } = generateKeyPairSync('ed25519')
const otherKey = file('other.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
const ours = { MAILROOM_TLS_CERT: cert, MAILROOM_TLS_KEY: key, MAILROOM_HOSTNAME: 'mx.example' }

function look(env: Record<string, string>, now?: number) {
  return certificateFinding(readConfig({ MAILROOM_DATA_DIR: scratch, ...env }), now)
}

test('a certificate for our name with its key is ok', async () => {
  for (const [env, state, words] of [
    [ours, 'ok', /^for mx\.example, until 2120-/],
    [{ ...ours, MAILROOM_HOSTNAME: 'mx.test' }, 'warning', /^is not for mx\.test$/],
    [{ ...ours, MAILROOM_TLS_KEY: otherKey }, 'problem', /is not the key of/],
    [{ ...ours, MAILROOM_TLS_CERT: key }, 'problem', /./],
    [{ ...ours, MAILROOM_TLS_CERT: join(scratch, 'none') }, 'problem', /ENOENT/],
    [{}, 'warning', /^none: STARTTLS is not offered$/],
  ] as const) {
    const found = await look(env)
    assert.equal(found.state, state, found.found)
    assert.match(found.found, words)
  }
})

test('a certificate that ends within 14 days is a warning, an expired one or one not valid yet a problem', async () => {
  const [end, day] = [Date.UTC(2120, 0, 1), 86_400_000]
  for (const [now, state, words] of [
    [end - 14 * day - 1, 'ok', /^for mx\.example/],
    [end - 14 * day, 'warning', /^expires soon, on 2120-01-01T/],
    [end - 1, 'warning', /^expires soon/],
    [end, 'problem', /^expired on 2120-01-01T/],
    [Date.UTC(2019, 11, 31), 'problem', /^is valid only from 2020-01-01T/],
  ] as const) {
    const found = await look(ours, now)
    assert.equal(found.state, state, `${new Date(now).toISOString()}: ${found.found}`)
    assert.match(found.found, words)
  }
})

test('the finding names an issuer whose certificate has expired', async () => {
  const issuer = certificateFor('Old Issuer', { until: '20210101000000Z' }).cert
  const chain = file('chain.pem', testCertificate.cert + issuer)
  const found = await look({ ...ours, MAILROOM_TLS_CERT: chain })
  assert.equal(found.state, 'warning')
  assert.equal(found.found, "an issuer's certificate (CN=Old Issuer) expired, on 2021-01-01T00:00:00.000Z")
})

test('a key that the user of the service cannot read is a problem, also if root runs the doctor', async () => {
  const [dataDir, closed] = [join(scratch, 'data'), join(scratch, 'closed')]
  mkdirSync(dataDir)
  mkdirSync(closed)
  const secretKey = file('closed/key.pem', testCertificate.key)
  const env = { ...ours, MAILROOM_TLS_KEY: secretKey, MAILROOM_DATA_DIR: dataDir }
  assert.equal((await look(env)).state, 'ok')
  const isRoot = process.getuid?.() === 0
  // The service's own user, whom the data directory belongs to: any but root; else whoever runs this.
  if (isRoot) for (const path of [scratch, dataDir]) chownSync(path, 65_534, 65_534)
  assert.equal((await look(env)).state, 'ok')
  for (const [path, mode] of [
    [secretKey, 0o600],
    [closed, 0o700],
  ] as const) {
    chmodSync(path, isRoot ? mode : 0)
    const found = await look(env)
    assert.equal(found.state, 'problem', `${path} ${found.found}`)
    assert.match(found.found, /^\S+\/closed\/key\.pem cannot be read by the user \S+$/)
    assert.match(found.fix ?? '', /^Let the user /)
    chmodSync(path, 0o755)
  }
})
