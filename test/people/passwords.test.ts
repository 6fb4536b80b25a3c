// On both databases: a command runs beside a service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPassword } from '#/base/secrets/password.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { mailroom, spawnMailroom, startService } from '#test/world/service.ts'

const address = 'ada@passwords.test'

/** Runs the command with that on its standard input. */
async function given(env: Record<string, string>, input: string, ...args: string[]) {
  const child = spawnMailroom(env, ...args)
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([
    Array.fromAsync(child.stdout),
    Array.fromAsync(child.stderr),
    new Promise<[number | null]>((resolve) => child.once('exit', (status) => resolve([status]))),
  ])
  return { stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), code }
}

test('a mailbox gets a password, one that is made or one from standard input, beside a service and without', async () => {
  await using home = await databaseHome()
  await storeOrganization(home, { domain: 'passwords.test', mailboxes: ['ada', 'bob'] })
  const fits = async (password: string) => {
    await using database = await home.open()
    const of = database.db.selectFrom('mailboxes').select('password_hash').where('address', '=', address)
    return isPassword(password, (await of.executeTakeFirstOrThrow()).password_hash, { organization: '', key: '' })
  }
  const made = await mailroom(home.env, 'mailbox', 'password', 'Ada@passwords.test')
  const [password = '', sentence] = made.stdout.split('\n')
  assert.deepEqual([made.code, made.stderr], [0, ''])
  assert.match(password, /^([a-z2-9]{6}-){3}[a-z2-9]{6}$/)
  assert.equal(sentence, `This is the password of ${address} now, shown this once.`)
  assert.ok(await fits(password))

  const service = await startService(home.env)
  const chosen = 'correct "horse" -- battéry staple'
  const set = await given(home.env, `${chosen}\r\nmore\n`, 'mailbox', 'password', address, '--password', '-')
  assert.deepEqual(set, { stdout: `The password of ${address} is set.\n`, stderr: '', code: 0 })
  const weak = await given(home.env, 'short\n', 'mailbox', 'password', '--password=-', address)
  assert.deepEqual([weak.code, weak.stderr], [1, 'mailroom: password must be at least 12 characters long\n'])
  const seen = await mailroom(home.env, 'mailbox', 'password', address, '--password', chosen)
  assert.equal(seen.code, 2)
  assert.match(seen.stderr, /--password takes -, and reads the password from standard input/)
  assert.equal((await mailroom(home.env, 'mailbox', 'password', 'nobody@passwords.test')).code, 1)
  await service.end('SIGTERM')
  assert.ok(!service.written().includes('horse'))
  assert.deepEqual([await fits(chosen), await fits(password)], [true, false])
})
