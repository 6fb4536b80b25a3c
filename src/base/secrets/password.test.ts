import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenPassword, hashPassword, importedHash, isHashed, isPassword } from './password.ts'

const holder = { organization: 'a', key: '' }
const salt = 'c29tZXNhbHRzb21lc2FsdA'
const digest = 'R6ScNxFKOdrJbTp0jUJX2oBOIPJE+ixPW0kGGYpTbrQ'
const argon2id = `$argon2id$v=19$m=65536,t=3,p=1$${salt}$${digest}`

test('a hash of argon2id is taken over from another program, and its password is verified', async () => {
  const hash = await hashPassword('correct horse battery', holder)
  const imported = importedHash(`{ARGON2ID}${hash}`)
  assert.equal(await isPassword('correct horse battery', imported, holder), true)
  assert.equal(await isPassword('correct horse staple', imported, holder), false)
})

for (const given of [argon2id, `{ARGON2ID}${argon2id}`, `{argon2id}${argon2id}`])
  test(`"${given.slice(0, 20)}…" is taken over as a hash`, () => {
    assert.equal(isHashed(given), true)
    assert.equal(importedHash(given), argon2id)
  })

for (const given of [
  '{BLF-CRYPT}$2y$05$abcdefghijklmnopqrstuuFvxG1hcO5yjCWjcXSZLTVJ8jTqAw3nu',
  '{SHA512-CRYPT}$6$rounds=5000$saltsalt$abcdefghijklmnop',
  '{SSHA256}MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=',
  '{PLAIN}correct horse battery',
  '{PBKDF2}$1$saltsalt$5000$abcdef',
  '$2y$05$abcdefghijklmnopqrstuuFvxG1hcO5yjCWjcXSZLTVJ8jTqAw3nu',
  '$6$saltsalt$abcdefghijklmnop',
  '$y$j9T$saltsalt$abcdefghijklmnop',
  '$argon2i$v=19$m=65536,t=3,p=1$c2FsdHNhbHQ$YWJjZGVm',
  `{ARGON2ID}${argon2id.replace('m=65536', 'm=9999999')}`,
  `{ARGON2ID}${argon2id.replace('p=1', 'p=4')}`,
  '{ARGON2ID}correct horse battery',
])
  test(`"${given.slice(0, 16)}…" is refused, as a hash and as a password`, () => {
    assert.equal(isHashed(given), true)
    assert.throws(() => importedHash(given), { field: 'password' })
    assert.throws(() => chosenPassword(given), /hash of a password/)
  })

for (const given of ['correct horse battery', 'so {much} of it all', '$20 is not enough!', '{1} + {2} = {3} ok'])
  test(`"${given}" is a password`, () => assert.equal(chosenPassword(given), given))
