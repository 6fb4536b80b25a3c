import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashing, hashPassword, isPassword, mostHashes } from '#/passwords/password.ts'
import {
  codes,
  plain,
  type Submitting,
  secured,
  startSubmitting,
  submittingMailbox,
} from '#test/world/mail/submission.ts'
import { tryPassword, withPassword } from '#test/world/members/passwords.ts'

let on: Submitting
before(async () => {
  on = await startSubmitting()
})
after(() => on[Symbol.asyncDispose]())

/** Fills a process's queue of passwords to hash, until it is disposed of. */
function crowded(): AsyncDisposable {
  const { promise, resolve } = Promise.withResolvers<void>()
  const all = Array.from({ length: mostHashes }, () => hashing.run(() => promise))
  return {
    [Symbol.asyncDispose]: async () => {
      resolve()
      await Promise.all(all)
    },
  }
}

const busy = { code: 'rate_limited', retryAfter: 3 }

test('a process hashes and verifies so many passwords at once, and no more', async () => {
  {
    await using _crowd = crowded()
    await assert.rejects(hashPassword('correct horse battery staple'), busy)
    await assert.rejects(isPassword('correct horse battery staple', null), busy)
  }
  const hash = await hashPassword('correct horse battery staple')
  assert.equal(await isPassword('correct horse battery staple', hash), true)
})

test('a member who signs in meanwhile is asked to retry, and then signs in', async () => {
  const { world, organization } = on
  const email = 'ada@people.example'
  await withPassword(organization, email)
  {
    await using _crowd = crowded()
    for (let again = 0; again < 12; again++) {
      const { status, headers, body } = await tryPassword(world, { email })
      assert.deepEqual([status, headers.get('retry-after'), body.error.code], [429, '3', 'rate_limited'])
      assert.match(body.error.message, /being verified/, 'the same password again does not count')
    }
  }
  assert.equal((await tryPassword(world, { email })).status, 201)
})

test('a mail program that logs in meanwhile is asked to retry, and then logs in', async () => {
  const { organization, port } = on
  const { address } = await submittingMailbox(organization, 'ada')
  await using client = await secured(port)
  await client.say('EHLO laptop.example')
  {
    await using _crowd = crowded()
    assert.equal(codes(await client.say(plain(address))), '454 4.7.0')
  }
  assert.equal(codes(await client.say(plain(address))), '235 2.7.0')
})
