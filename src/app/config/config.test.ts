import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const secret = '0123456789abcdef0123456789abcdef'
const noSecrets = { clientSecret: undefined, secret: undefined, previousSecret: undefined }

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    assert.equal(error.message, error.problems.join('\n'))
    return error.problems
  }
  return []
}

test('an empty environment gives the documented defaults', () => {
  assert.deepEqual(readConfig({}), {
    ...{ roles: new Set(['api', 'mx', 'submission', 'imap', 'worker']), host: '127.0.0.1' },
    ...{ http: { host: '127.0.0.1', port: 8080 }, publicUrl: undefined, trustedProxies: [] },
    ...{ passwords: true, singleSignOn: undefined, smtp: { host: '127.0.0.1', port: 2525 }, lmtp: undefined },
    ...{ policy: undefined, submission: undefined, submissionTls: undefined },
    ...{ imap: { host: '127.0.0.1', port: 1143 }, imapTls: undefined, imapProxies: [] },
    ...{ metrics: undefined, tracing: undefined, hostname: 'localhost', dataDir: './data', namesDatabase: false },
    ...{ allowUnsafeDatabase: false, tls: undefined, dnsServers: [], dnsFirstCheckSeconds: 60, tickSeconds: 300 },
    ...{ ambiguous: 'retry', mailSource: { family: 'any', ipv4: undefined, ipv6: undefined }, allowPrivateMx: false },
    ...{ webhookNetworks: [], threadCacheBytes: 268_435_456, logLevel: 'info', production: false, warnings: [] },
    secrets: { databaseUrl: undefined, relay: undefined, ...noSecrets },
  })
})

test('every variable is read', () => {
  const databaseUrl = 'postgresql://mailroom:p%40ss@db.example:5432/mailroom?sslmode=require'
  const login = { user: 'ann', password: 'p@ss' }
  const previousSecret = 'fedcba9876543210fedcba9876543210'
  const relay = { host: 'relay.example', port: 587, tls: 'required', login }
  const env = {
    ...{ MAILROOM_ROLES: 'api, mx', HOST: '::1', PORT: '0', MAILROOM_PUBLIC_URL: 'https://Mail.Example.com:443/' },
    MAILROOM_TRUSTED_PROXIES: 'loopback, 10.1.2.0/24,2001:DB8::5,::ffff:192.0.2.0/120',
    ...{ MAILROOM_PASSWORDS: 'off', MAILROOM_OIDC_ISSUER: 'https://id.example.com/realms/staff' },
    ...{ MAILROOM_OIDC_CLIENT_ID: 'mailroom', MAILROOM_OIDC_CLIENT_SECRET: 'hunter2', MAILROOM_OIDC_NAME: 'Acme' },
    ...{ MAILROOM_OIDC_SCOPES: 'openid email groups', MAILROOM_OIDC_ADDRESS_CLAIM: 'upn' },
    ...{ MAILROOM_OIDC_GROUPS_CLAIM: 'roles', MAILROOM_OIDC_OWNER_GROUP: 'mail owners' },
    MAILROOM_OIDC_ADMIN_GROUP: 'cn=admins,dc=example',
    MAILROOM_OIDC_DOMAINS: 'Example.com=Acme, example.org=Acme = Sons',
    ...{ MAILROOM_SMTP_PORT: '25', MAILROOM_LMTP_PORT: '24', MAILROOM_POLICY_PORT: '[2001:db8::5]:10031' },
    ...{ MAILROOM_SUBMISSION_PORT: '587', MAILROOM_SUBMISSION_TLS_PORT: '[2001:db8::5]:465' },
    ...{ MAILROOM_IMAP_PORT: '1143', MAILROOM_IMAPS_PORT: '[2001:db8::5]:1993', MAILROOM_IMAP_PROXIES: '10.0.0.5' },
    ...{ MAILROOM_METRICS_PORT: '9464', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
    ...{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5', MAILROOM_HOSTNAME: 'MX.Example.COM' },
    ...{ MAILROOM_DATA_DIR: '/var/lib/mailroom', MAILROOM_ALLOW_UNSAFE_DATABASE: '1' },
    ...{ MAILROOM_TLS_CERT: '/etc/tls/cert.pem', MAILROOM_TLS_KEY: '/etc/tls/key.pem' },
    MAILROOM_DNS_SERVERS: '9.9.9.9, 127.0.0.1:5353,::1,[2620:fe::fe]:53',
    ...{ MAILROOM_DNS_FIRST_CHECK_SECONDS: '5', MAILROOM_AMBIGUOUS: 'fail', MAILROOM_TICK_SECONDS: '60' },
    MAILROOM_RELAY_URL: 'smtp://ann:p%40ss@relay.example:587',
    ...{ MAILROOM_OUTBOUND_ADDRESSES: '2001:db8::1, 192.0.2.1', MAILROOM_OUTBOUND_FAMILY: '6' },
    ...{ MAILROOM_ALLOW_PRIVATE_MX: '1', MAILROOM_WEBHOOK_NETWORKS: '10.2.0.0/16', MAILROOM_THREAD_CACHE_MB: '64' },
    ...{ LOG_LEVEL: 'WARN', NODE_ENV: 'production', DATABASE_URL: databaseUrl },
    ...{ MAILROOM_SECRET: secret, MAILROOM_SECRET_PREVIOUS: previousSecret },
  }
  assert.deepEqual(readConfig(env), {
    ...{ roles: new Set(['api', 'mx']), host: '::1', http: { host: '::1', port: 0 } },
    publicUrl: 'https://mail.example.com',
    trustedProxies: [
      ...[
        { address: '127.0.0.0', bits: 8 },
        { address: '::1', bits: 128 },
        { address: '10.1.2.0', bits: 24 },
      ],
      ...[
        { address: '2001:db8::5', bits: 128 },
        { address: '192.0.2.0', bits: 24 },
      ],
    ],
    passwords: false,
    singleSignOn: {
      ...{ issuer: 'https://id.example.com/realms/staff', clientId: 'mailroom', name: 'Acme' },
      ...{ scopes: 'openid email groups', addressClaim: 'upn', groupsClaim: 'roles', ownerGroup: 'mail owners' },
      adminGroup: 'cn=admins,dc=example',
      domains: new Map(Object.entries({ 'example.com': 'Acme', 'example.org': 'Acme = Sons' })),
    },
    ...{ smtp: { host: '::1', port: 25 }, lmtp: { host: '127.0.0.1', port: 24 } },
    policy: { host: '2001:db8::5', port: 10_031 },
    ...{ submission: { host: '::1', port: 587 }, submissionTls: { host: '2001:db8::5', port: 465 } },
    ...{ imap: { host: '::1', port: 1_143 }, imapTls: { host: '2001:db8::5', port: 1_993 } },
    ...{ imapProxies: [{ address: '10.0.0.5', bits: 32 }], metrics: { host: '127.0.0.1', port: 9_464 } },
    ...{ tracing: { ratio: 0.5, parentBased: false }, hostname: 'mx.example.com', dataDir: '/var/lib/mailroom' },
    ...{ namesDatabase: true, allowUnsafeDatabase: true },
    tls: { cert: '/etc/tls/cert.pem', key: '/etc/tls/key.pem' },
    dnsServers: ['9.9.9.9', '127.0.0.1:5353', '::1', '[2620:fe::fe]:53'],
    ...{ dnsFirstCheckSeconds: 5, tickSeconds: 60, ambiguous: 'fail', allowPrivateMx: true },
    mailSource: { family: 6, ipv4: '192.0.2.1', ipv6: '2001:db8::1' },
    ...{ webhookNetworks: [{ address: '10.2.0.0', bits: 16 }], threadCacheBytes: 67_108_864 },
    ...{ logLevel: 'warn', production: true, warnings: [] },
    secrets: { databaseUrl, relay, clientSecret: 'hunter2', secret, previousSecret },
  })
})

test('a variable that is set to nothing counts as not set', () => {
  const env = { PORT: '', DATABASE_URL: '', MAILROOM_SECRET: '', MAILROOM_TLS_CERT: '', MAILROOM_REFUSED: '   ' }
  assert.deepEqual(readConfig(env), readConfig({}))
})

const refused: Readonly<Record<string, readonly string[]>> = {
  MAILROOM_ROLES: ['api,smtp', ',', 'API'],
  HOST: ['http://localhost', '127.0.0.1/8'],
  PORT: ['65536', '-1', '80a', '8e3', ' 80'],
  MAILROOM_PUBLIC_URL: [
    ...['mail.example', 'ftp://mail.example', 'https:mail.example', 'https://', 'https://mail .example'],
    ...['https://a.b/\n', 'https://mail.example/api', 'https://mail.example?', 'https://mail.example/#'],
    'https://mail.example:99999',
  ],
  MAILROOM_TRUSTED_PROXIES: [
    ...['proxy.example', '10.0.0.0/33', '10.0.0.256', '10.0.0/8', '10.0.0.1/', '::1/129', 'fe80::1%eth0', 'Loopback'],
    ...[',', '10.0.0.1,', '0.0.0.0/0', '::/0', '::ffff:0:0/96', '::ffff:10.0.0.0/8', '10.0.0.0/1e1', '127.1'],
  ],
  MAILROOM_PASSWORDS: ['0'],
  MAILROOM_WEBHOOK_NETWORKS: ['receiver.example', '10.0.0.0/33', '0.0.0.0/0', '::/0', ','],
  MAILROOM_SMTP_PORT: ['1000000'],
  MAILROOM_LMTP_PORT: [
    ...['x', ':24', 'mail.example:24', '1.2.3:24', '::1:24', '[1.2.3.4]:24', '[::1]', '1.2.3.4:65536', '70000'],
  ],
  MAILROOM_AMBIGUOUS: ['maybe'],
  MAILROOM_HOSTNAME: [
    ...['mail example.com', 'mail_host.example.com', '-mail.example.com', '192.0.2.1'],
    `${'a'.repeat(64)}.example.com`,
  ],
  MAILROOM_DATA_DIR: ['da\0ta'],
  MAILROOM_ALLOW_UNSAFE_DATABASE: ['yes'],
  MAILROOM_DNS_SERVERS: ['9.9.9.999', '9.9.9.9,', '9.9.9.9:0', '9.9.9.9:65536', 'dns.example.com', '[::1'],
  MAILROOM_DNS_FIRST_CHECK_SECONDS: ['0', '1.5'],
  MAILROOM_TICK_SECONDS: ['0'],
  MAILROOM_RELAY_URL: ['relay.example'],
  MAILROOM_OUTBOUND_ADDRESSES: ['mail.example.com', '192.0.2.1,', 'fe80::1%eth0', '192.0.2.1,192.0.2.2'],
  MAILROOM_OUTBOUND_FAMILY: ['ipv4'],
  MAILROOM_REFUSED: ['MAILROOM_SMTP_PORT '],
  MAILROOM_ALLOW_PRIVATE_MX: ['yes'],
  MAILROOM_THREAD_CACHE_MB: ['0', '1.5', '1048577'],
  LOG_LEVEL: ['verbose'],
}
for (const [name, values] of Object.entries(refused))
  for (const value of values)
    test(`${name}=${JSON.stringify(value)} is refused, with the way out`, () => {
      const problems = problemsOf({ [name]: value })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', new RegExp(`^${name} (?:is|holds) .*: set it to .`))
    })

for (const [what, env, problem] of [
  ['a certificate without its key', { MAILROOM_TLS_CERT: 'cert.pem' }, /^MAILROOM_TLS_KEY is not set/],
  ['a key without its certificate', { MAILROOM_TLS_KEY: 'key.pem' }, /^MAILROOM_TLS_CERT is not set/],
  [
    'a family of which no address is named',
    { MAILROOM_OUTBOUND_ADDRESSES: '192.0.2.1', MAILROOM_OUTBOUND_FAMILY: '6' },
    /^MAILROOM_OUTBOUND_ADDRESSES has no IPv6 address although MAILROOM_OUTBOUND_FAMILY is 6/,
  ],
  ['one port for HTTP and SMTP', { PORT: '2525' }, /^PORT and MAILROOM_SMTP_PORT are both 2525/],
  [
    'one port for LMTP and the policy',
    { MAILROOM_LMTP_PORT: '24', MAILROOM_POLICY_PORT: '10.0.0.5:24' },
    /^MAILROOM_LMTP_PORT and MAILROOM_POLICY_PORT are both 24/,
  ],
  [
    'a shared database in production without a shared secret',
    { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/mailroom' },
    /^MAILROOM_SECRET is not set: .*`openssl rand -hex 32`/,
  ],
  ['submission without TLS', { MAILROOM_SUBMISSION_PORT: '587' }, /^MAILROOM_TLS_CERT and .* submission needs TLS/],
  ['IMAP over TLS without a certificate', { MAILROOM_IMAPS_PORT: '993' }, /^MAILROOM_TLS_CERT and .* needs TLS/],
  ['the role submission without a port', { MAILROOM_ROLES: 'submission' }, /^MAILROOM_SUBMISSION_PORT is not set/],
] as const) {
  test(`${what} is refused`, () => {
    const problems = problemsOf(env)
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', problem)
  })
}

test('the sample of a process for mail programs says all that it needs', async () => {
  const text = await readFile(new URL('../../../deploy/systemd/submission.env', import.meta.url), 'utf8')
  const env = Object.fromEntries(Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value]))
  const { roles, submission, submissionTls, imap, imapTls, warnings } = readConfig({ ...env, NODE_ENV: 'production' })
  assert.deepEqual([roles, warnings], [new Set(['submission', 'imap']), []])
  const ports = [submission, submissionTls, imap, imapTls].map((one) => `${one?.host}:${one?.port}`)
  assert.deepEqual(ports, ['0.0.0.0:587', '0.0.0.0:465', '0.0.0.0:143', '0.0.0.0:993'])
})

test('both ports may be any free one', () => {
  const { http, smtp } = readConfig({ PORT: '0', MAILROOM_SMTP_PORT: '0' })
  assert.deepEqual([http.port, smtp.port], [0, 0])
})

for (const [what, env, http, smtp] of [
  ['an address of their own', { PORT: '127.0.0.1:8080', MAILROOM_SMTP_PORT: '192.0.2.5:25' }, '127.0.0.1', '192.0.2.5'],
  ['the address of HOST', { PORT: '8080', MAILROOM_SMTP_PORT: '25', HOST: '0.0.0.0' }, '0.0.0.0', '0.0.0.0'],
  ['either', { HOST: '0.0.0.0', PORT: '[::1]:8080' }, '::1', '0.0.0.0'],
] as const) {
  test(`HTTP and SMTP listen on ${what}`, () => {
    const config = readConfig(env)
    assert.deepEqual([config.http.host, config.smtp.host], [http, smtp])
  })
}

test('all problems are reported at once, each with its variable', () => {
  const wrong = { PORT: 'x', MAILROOM_SMTP_PORT: 'y', LOG_LEVEL: 'z', MAILROOM_TLS_CERT: 'cert.pem' }
  const problems = problemsOf({ ...wrong, DATABASE_URL: 'mysql://db', MAILROOM_SECRET: 'short' })
  const named = problems.map((problem) => problem.split(' ')[0]).join(' ')
  assert.equal(named, 'PORT MAILROOM_SMTP_PORT LOG_LEVEL DATABASE_URL MAILROOM_SECRET MAILROOM_TLS_KEY')
})

test('no problem quotes a secret', () => {
  const problems = problemsOf({
    DATABASE_URL: 'mysql://user:hunter2@db',
    MAILROOM_RELAY_URL: 'smtp://user:hunter2@relay.example?port=25',
    MAILROOM_PUBLIC_URL: 'https://user:hunter2@mail.example',
    MAILROOM_SECRET: 'hunter2',
  })
  assert.equal(problems.length, 4)
  assert.doesNotMatch(problems.join(), /hunter2/)
})

test('an unknown variable is warned of with the nearest known name, and its value is not shown', () => {
  const { warnings } = readConfig({ MAILROOM_SMPT_PORT: '2626', MAILROOM_SECRETS: 'hunter2', OTHER: 'x' })
  assert.deepEqual(warnings, [
    'MAILROOM_SECRETS is not a variable of Mailroom and has no effect; did you mean MAILROOM_SECRET?',
    'MAILROOM_SMPT_PORT is not a variable of Mailroom and has no effect; did you mean MAILROOM_SMTP_PORT?',
  ])
})

for (const [what, env, family] of [
  ['IPv4 where it alone has an address', { MAILROOM_OUTBOUND_ADDRESSES: '192.0.2.1' }, 4],
  ['IPv6 where it alone has an address', { MAILROOM_OUTBOUND_ADDRESSES: '2001:db8::1' }, 6],
  ['both where both have one', { MAILROOM_OUTBOUND_ADDRESSES: '2001:db8::1,192.0.2.1' }, 'any'],
  ['both where that is set', { MAILROOM_OUTBOUND_ADDRESSES: '192.0.2.1', MAILROOM_OUTBOUND_FAMILY: 'any' }, 'any'],
] as const)
  test(`mail leaves by ${what}`, () => assert.equal(readConfig(env).mailSource.family, family))
