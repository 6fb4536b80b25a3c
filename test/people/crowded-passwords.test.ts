import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashing } from '#/base/secrets/password.ts'
import { plain, secured, startSubmitting, submittingMailbox } from '#test/world/mail/submission.ts'
import { tryPassword, withPassword } from '#test/world/members/passwords.ts'
import { ofFile } from '#test/world/of-file.ts'

const on = ofFile(await startSubmitting())

/** Fills an organization's part of a process's queue of passwords to hash, until it is disposed of. */
function crowded(organization: string): AsyncDisposable {
  const all = Array.from({ length: 210 }, (_, at) => hashing.enter({ organization, key: `${at}` }, 1))
  return {
    [Symbol.asyncDispose]: async () => {
      for (const one of all) (await one)?.[Symbol.dispose]()
    },
  }
}

test('a member who signs in meanwhile is asked to retry, and then signs in', async () => {
  const { world, organization } = on
  const email = 'ada@people.example'
  await withPassword(organization, email)
  {
    // Whose organization is not known is known by the address.
    await using _crowd = crowded('127.0.0.1')
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
    await using _crowd = crowded(organization.id)
    assert.equal((await client.say(plain(address))).codes, '454 4.7.0')
  }
  assert.equal((await client.say(plain(address))).codes, '235 2.7.0')
})
