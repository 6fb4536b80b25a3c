import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { installationSecret } from './secret.ts'

const scratch = mkdtempSync(join(tmpdir(), 'mailroom-secret-'))
after(() => rm(scratch, { recursive: true }))

const noSecrets = { databaseUrl: undefined, imap: undefined, relay: undefined, secret: undefined }

test('MAILROOM_SECRET is the secret, and no file is made', async () => {
  const dataDir = join(scratch, 'set')
  const secret = 'x'.repeat(32)
  assert.equal(await installationSecret({ dataDir, secrets: { ...noSecrets, secret } }), secret)
  assert.throws(() => statSync(dataDir), { code: 'ENOENT' })
})

test('without it the first start makes a file that its owner alone can read, and later starts read it', async () => {
  const dataDir = join(scratch, 'made')
  const made = await installationSecret({ dataDir, secrets: noSecrets })
  assert.match(made, /^[0-9a-f]{64}$/)
  assert.equal(statSync(join(dataDir, 'secret')).mode & 0o777, 0o600)
  assert.equal(await installationSecret({ dataDir, secrets: noSecrets }), made)
  assert.deepEqual(readdirSync(dataDir), ['secret'])
})

test('twenty that start at once agree on one secret', async () => {
  const dataDir = join(scratch, 'raced')
  const all = await Promise.all(Array.from({ length: 20 }, () => installationSecret({ dataDir, secrets: noSecrets })))
  assert.equal(new Set(all).size, 1)
  assert.deepEqual(readdirSync(dataDir), ['secret'])
})

test('a secret that was cut short is refused, not replaced', async () => {
  const dataDir = mkdtempSync(join(scratch, 'cut-'))
  writeFileSync(join(dataDir, 'secret'), 'abc')
  await assert.rejects(installationSecret({ dataDir, secrets: noSecrets }), /restore it from a backup/)
})
