import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

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
  assert.deepEqual(
    [singleSignOn, secrets.clientSecret],
    [
      {
        issuer: 'https://id.example.com/',
        clientId: 'mailroom',
        name: 'id.example.com',
        scopes: 'openid email profile',
        addressClaim: 'email',
        groupsClaim: 'groups',
        ownerGroup: undefined,
        adminGroup: undefined,
        domains: new Map(),
      },
      undefined,
    ],
  )
})

for (const issuer of ['http://localhost:9000', 'http://127.0.0.1:9000/x', 'http://[::1]:9000']) {
  test(`on this machine an issuer needs no TLS: ${issuer}`, () =>
    assert.equal(readConfig({ ...least, MAILROOM_OIDC_ISSUER: issuer }).singleSignOn?.issuer, issuer))
}

for (const [name, value] of [
  ['ISSUER', 'http://id.example'],
  ['ISSUER', 'http://localhost.evil.example'],
  ['ISSUER', 'id.example'],
  ['ISSUER', 'https://id.example?x'],
  ['ISSUER', 'https://user:hunter2@id.example'],
  ['ISSUER', 'ftp://id.example'],
  ['SCOPES', 'email profile'],
  ['SCOPES', 'openid  email'],
  ['CLIENT_ID', ' mailroom'],
  ['NAME', 'a\nb'],
  ['DOMAINS', 'example.com'],
  ['DOMAINS', 'example.com=Acme,'],
  ['DOMAINS', 'com=Acme'],
  ['CLIENT_SECRET_FILE', '/nowhere/secret'],
] as const) {
  test(`MAILROOM_OIDC_${name}=${JSON.stringify(value)} is refused, with the way out`, () => {
    const problems = problemsOf({ ...least, [`MAILROOM_OIDC_${name}`]: value })
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', new RegExp(`^MAILROOM_OIDC_${name} (?:is|holds) .*: set it to .`))
    assert.doesNotMatch(problems[0] ?? '', /hunter2/)
  })
}

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
] as const) {
  test(`${what} is refused`, () =>
    assert.ok(
      problemsOf(env).some((one) => problem.test(one)),
      problemsOf(env).join(),
    ))
}

test('the client’s secret may be in a file, which must have one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-'))
  try {
    const path = join(directory, 'secret')
    const env = { ...least, MAILROOM_OIDC_CLIENT_SECRET_FILE: path }
    await writeFile(path, 'hunter2\n')
    assert.equal(readConfig(env).secrets.clientSecret, 'hunter2')
    await writeFile(path, '\n')
    assert.match(problemsOf(env).join(), /which is empty: set it to/)
  } finally {
    await rm(directory, { recursive: true })
  }
})
