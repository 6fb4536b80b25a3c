import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { ConfigError, readConfig } from './config.ts'

const scratch = directoryOfFile()

const least = { MAILROOM_OIDC_ISSUER: 'https://id.example.com/', MAILROOM_OIDC_CLIENT_ID: 'mailroom' }

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}

test('an issuer and a client suffice', () => {
  const { singleSignOn, secrets } = readConfig(least)
  assert.deepEqual(singleSignOn, {
    ...{ issuer: 'https://id.example.com/', clientId: 'mailroom', name: 'id.example.com' },
    ...{ scopes: 'openid email profile', addressClaim: 'email', groupsClaim: 'groups' },
    ...{ ownerGroup: undefined, adminGroup: undefined, domains: new Map() },
  })
  assert.equal(secrets.clientSecret, undefined)
})

for (const issuer of ['http://localhost:9000', 'http://127.0.0.1:9000/x', 'http://[::1]:9000']) {
  test(`on this machine an issuer needs no TLS: ${issuer}`, () =>
    assert.equal(readConfig({ ...least, MAILROOM_OIDC_ISSUER: issuer }).singleSignOn?.issuer, issuer))
}

const refused = {
  ISSUER: [
    ...['http://id.example', 'http://localhost.evil.example', 'id.example', 'https://id.example?x'],
    ...['https://user:hunter2@id.example', 'ftp://id.example'],
  ],
  SCOPES: ['email profile', 'openid  email'],
  CLIENT_ID: [' mailroom'],
  NAME: ['a\nb'],
  DOMAINS: ['example.com', 'example.com=Acme,', 'com=Acme'],
  CLIENT_SECRET_FILE: ['/nowhere/secret'],
}
for (const [name, values] of Object.entries(refused))
  for (const value of values)
    test(`MAILROOM_OIDC_${name}=${JSON.stringify(value)} is refused, with the way out`, () => {
      const problems = problemsOf({ ...least, [`MAILROOM_OIDC_${name}`]: value })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', new RegExp(`^MAILROOM_OIDC_${name} (?:is|holds) .*: set it to .`))
      assert.doesNotMatch(problems[0] ?? '', /hunter2/)
    })

for (const [what, env, problem] of [
  ['an issuer without a client', { MAILROOM_OIDC_ISSUER: 'https://id.example' }, /^MAILROOM_OIDC_CLIENT_ID is not set/],
  [
    'a setting without an issuer',
    { MAILROOM_OIDC_OWNER_GROUP: 'x' },
    /^MAILROOM_OIDC_ISSUER is not set although MAILROOM_OIDC_OWNER_GROUP is/,
  ],
  [
    'a secret in two places',
    { ...least, MAILROOM_OIDC_CLIENT_SECRET: 'x', MAILROOM_OIDC_CLIENT_SECRET_FILE: '/dev/null/x' },
    /^MAILROOM_OIDC_CLIENT_SECRET and MAILROOM_OIDC_CLIENT_SECRET_FILE are both set/,
  ],
] as const)
  test(`${what} is refused`, () => assert.match(problemsOf(env).join('\n'), new RegExp(problem, 'm')))

test('the client’s secret may be in a file, which must have one', async () => {
  const path = join(scratch, 'secret')
  const env = { ...least, MAILROOM_OIDC_CLIENT_SECRET_FILE: path }
  await writeFile(path, 'hunter2\n')
  assert.equal(readConfig(env).secrets.clientSecret, 'hunter2')
  await writeFile(path, '\n')
  assert.match(problemsOf(env).join(), /which is empty: set it to/)
})
