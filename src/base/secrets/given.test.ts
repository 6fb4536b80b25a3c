import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { givenSecrets, hasSecret, nextSecret, settleSecret } from './given.ts'
import { fingerprintOf } from './keyring.ts'

const scratch = directoryOfFile()

const noSecrets = { databaseUrl: undefined, relay: undefined, secret: undefined, previousSecret: undefined }

test('MAILROOM_SECRET is the secret, and no file is created', async () => {
  const dataDir = join(scratch, 'set')
  const secret = 'x'.repeat(32)
  const previousSecret = 'y'.repeat(32)
  assert.deepEqual(await givenSecrets({ dataDir, secrets: { ...noSecrets, secret } }), [secret])
  const both = await givenSecrets({ dataDir, secrets: { ...noSecrets, secret, previousSecret } })
  assert.deepEqual(both, [secret, previousSecret])
  assert.throws(() => statSync(dataDir), { code: 'ENOENT' })
})

test('without it the first start creates a file that only its owner can read, and later starts read it', async () => {
  const dataDir = join(scratch, 'made')
  const [made, ...others] = await givenSecrets({ dataDir, secrets: noSecrets })
  assert.deepEqual(others, [])
  assert.match(made, /^[0-9a-f]{64}$/)
  assert.equal(statSync(join(dataDir, 'secret')).mode & 0o777, 0o600)
  assert.deepEqual(await givenSecrets({ dataDir, secrets: noSecrets }), [made])
  assert.deepEqual(readdirSync(dataDir), ['secret'])
})

test('twenty processes that start at once get the same secret', async () => {
  const dataDir = join(scratch, 'raced')
  const all = await Promise.all(Array.from({ length: 20 }, () => givenSecrets({ dataDir, secrets: noSecrets })))
  assert.equal(new Set(all.map(String)).size, 1)
  assert.deepEqual(readdirSync(dataDir), ['secret'])
})

test('a truncated secret is refused, not replaced', async () => {
  const dataDir = mkdtempSync(join(scratch, 'cut-'))
  writeFileSync(join(dataDir, 'secret'), 'abc')
  await assert.rejects(givenSecrets({ dataDir, secrets: noSecrets }), /restore it from a backup/)
})

test('the next secret is added to the file before the old one, once, and is alone there in the end', async () => {
  const config = { dataDir: join(scratch, 'changed'), secrets: noSecrets }
  const [first] = await givenSecrets(config)
  const next = await nextSecret(config)
  assert.match(next, /^[0-9a-f]{64}$/)
  assert.notEqual(next, first)
  assert.deepEqual(await givenSecrets(config), [next, first])
  assert.equal(await nextSecret(config), next, 'a change that was broken off goes on with the same')
  for (const one of [first, next]) assert.ok(await hasSecret(config, fingerprintOf(one)))
  await settleSecret(config, next)
  assert.deepEqual(await givenSecrets(config), [next])
  assert.ok(!(await hasSecret(config, fingerprintOf(first))))
  assert.equal(statSync(join(config.dataDir, 'secret')).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(config.dataDir), ['secret'])
})
