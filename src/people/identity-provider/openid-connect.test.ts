import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { readConfig } from '#/app/config/config.ts'
import { ManualClock } from '#/base/clock/manual.ts'
import { IdentityFailure, type IdentityRequest } from '#/people/identity-provider/identity-provider.ts'
import { clientId, ForgedProvider, newKey } from '#test/world/identity/forged-provider.ts'
import { OpenIdConnect } from './openid-connect.ts'

let forge: ForgedProvider
let clock: ManualClock
let forges = 0
const started: ForgedProvider[] = []
after(async () => {
  for (const one of started) await one[Symbol.asyncDispose]()
})

beforeEach(async () => {
  forge = await ForgedProvider.start()
  started.push(forge)
  clock = new ManualClock(new Date())
  forge.now = () => clock.now()
  forges += 1
})

const ada = { sub: 'ada-1', email: 'ada@people.example', email_verified: true, name: 'Ada Lovelace' }

function providerWith(env: Record<string, string> = {}): OpenIdConnect {
  const { singleSignOn, secrets } = readConfig({ ...forge.env, ...env })
  assert.ok(singleSignOn)
  return new OpenIdConnect(singleSignOn, secrets.clientSecret, clock)
}

function requestOf(more: Partial<IdentityRequest> = {}): IdentityRequest {
  const secrets = { state: `state ${forges}`, nonce: `nonce ${forges}`, verifier: 'v'.repeat(43) }
  return { ...secrets, redirectUri: 'http://127.0.0.1:8080/back', anewAs: undefined, ...more }
}

/** Somebody with these claims signs in; the answer may be changed on its way. */
async function signIn(
  claims: object = ada,
  { provider = providerWith(), parameters = {}, request = requestOf() as IdentityRequest } = {},
) {
  const url = await provider.authorizationUrl(request)
  return await provider.identify(new URL(forge.answerTo(url, claims, parameters)), request)
}

const isFailure =
  (reason: IdentityFailure['reason'], message = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof IdentityFailure, String(error))
    assert.deepEqual([error.reason, message.test(error.message)], [reason, true], error.message)
    return true
  }

test('who signs in at the provider is identified, with what it says of them', async () => {
  const who = { subject: 'ada-1', address: 'ada@people.example', name: 'Ada Lovelace', groups: ['staff', 'admins'] }
  const found = await signIn({ ...ada, auth_time: 1_700_000_000, groups: ['staff', 7, 'admins'] })
  assert.deepEqual(found, { ...who, authenticatedAt: new Date('2023-11-14T22:13:20Z') })
})

test('the browser is sent with PKCE, state and nonce; a confirmation requires a new sign-in', async () => {
  const provider = providerWith({ MAILROOM_OIDC_SCOPES: 'openid email groups' })
  const parameters = async (anewAs?: string) =>
    Object.fromEntries(new URL(await provider.authorizationUrl(requestOf({ anewAs }))).searchParams)
  const { state, nonce, code_challenge, ...rest } = await parameters()
  assert.ok(state && nonce && code_challenge?.length === 43)
  assert.deepEqual(rest, {
    ...{ client_id: clientId, response_type: 'code', scope: 'openid email groups', code_challenge_method: 'S256' },
    ...{ redirect_uri: 'http://127.0.0.1:8080/back', max_age: '2592000' },
  })
  const anew = { prompt: 'login', max_age: '0', login_hint: 'ada@people.example' }
  assert.partialDeepStrictEqual(await parameters('ada@people.example'), anew)
})

for (const [what, claims] of [
  ['another audience', { aud: 'another-client' }],
  ['several audiences without saying for whom', { aud: ['another-client', clientId], azp: 'another-client' }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['another nonce', { nonce: 'another' }],
  ['no nonce', { nonce: undefined }],
  ['no subject', { sub: undefined }],
] as const)
  test(`an ID token with ${what} identifies nobody`, async () => {
    forge.claims = (usual) => ({ ...usual, ...claims })
    await assert.rejects(signIn(), isFailure('invalid'))
  })

test('an expired ID token identifies nobody, by the clock of the service', async () => {
  forge.now = () => clock.now() - 400_000
  await assert.rejects(signIn(), isFailure('invalid', /timestamp/))
  forge.now = () => clock.now()
  clock.advance(3 * 3_600_000)
  assert.equal((await signIn()).subject, 'ada-1')
})

for (const [what, tamper] of [
  ['signed by a key that the provider does not publish', () => ({ published: [newKey()] })],
  ['whose signature is another’s', () => ({ signature: (usual: string) => usual.toUpperCase() })],
  ['without a signature', () => ({ signature: () => '' })],
  ['that says it needs none', () => ({ header: () => ({ alg: 'none' }), signature: () => '' })],
  [
    'signed with the public key as a shared secret',
    () => {
      const keyed = () => createHmac('sha256', forge.publicKey)
      const signature = (_: string, signed: string) => keyed().update(signed).digest('base64url')
      return { header: () => ({ alg: 'HS256' }), signature }
    },
  ],
] as const)
  test(`an ID token ${what} identifies nobody`, async () => {
    Object.assign(forge, tamper())
    const body = { ...forge.metadata(), id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] }
    forge.answers.set('/.well-known/openid-configuration', { body })
    await assert.rejects(signIn(), isFailure('invalid'))
  })

test('the answer of another provider identifies nobody: neither named nor unnamed', async () => {
  await assert.rejects(signIn(ada, { parameters: { iss: 'https://evil.example' } }), isFailure('invalid'))
  const provider = providerWith()
  const request = requestOf()
  const answer = new URL(forge.answerTo(await provider.authorizationUrl(request), ada))
  answer.searchParams.delete('iss')
  await assert.rejects(provider.identify(answer, request), isFailure('invalid'))
})

test('a code for another verifier or address of ours identifies nobody', async () => {
  const provider = providerWith()
  for (const changed of [{ verifier: 'w'.repeat(43) }, { redirectUri: 'http://127.0.0.1:8080/other' }]) {
    const url = await provider.authorizationUrl(requestOf(changed))
    const answer = new URL(forge.answerTo(url, ada))
    answer.pathname = '/back'
    await assert.rejects(provider.identify(answer, requestOf()), isFailure('invalid', /invalid_grant/))
  }
})

test('an address counts only if the provider has verified it; another claim needs no word of that', async () => {
  for (const email_verified of [false, 'true', undefined])
    assert.equal((await signIn({ ...ada, email_verified })).address, undefined)
  const provider = providerWith({ MAILROOM_OIDC_ADDRESS_CLAIM: 'upn' })
  assert.equal((await signIn({ sub: 'ada-1', upn: 'ada@staff.example' }, { provider })).address, 'ada@staff.example')
})

test('claims that the ID token lacks come from the userinfo, of the same person alone', async () => {
  const { sub, ...more } = ada
  forge.userinfo = { sub, ...more, groups: ['admins'] }
  const provider = providerWith({ MAILROOM_OIDC_ADMIN_GROUP: 'admins' })
  const { address, groups } = await signIn({ sub }, { provider })
  assert.deepEqual([address, groups], ['ada@people.example', ['admins']])
  forge.userinfo = { ...forge.userinfo, sub: 'eve-1' }
  await assert.rejects(signIn({ sub }, { provider }), isFailure('invalid'))
})

test('the provider may change its keys from one sign-in to the next', async () => {
  const provider = providerWith()
  await signIn(ada, { provider })
  forge.rotate()
  assert.equal((await signIn(ada, { provider })).subject, 'ada-1')
  assert.equal(forge.asked.filter((path) => path.startsWith('/.well-known/')).length, 1, 'discovered once')
  clock.advance(3_600_000)
  await signIn(ada, { provider })
  assert.equal(forge.asked.filter((path) => path.startsWith('/.well-known/')).length, 2)
})

test('the provider’s refusal is a refusal; what it says beside a code is in no log', async () => {
  const parameters = { error: 'access_denied', error_description: 'Go away' }
  await assert.rejects(signIn(ada, { parameters }), isFailure('refused', /^The provider refused: access_denied$/))
  const unclear = signIn(ada, { parameters: { error: '<script>' } })
  await assert.rejects(unclear, isFailure('refused', /for a reason that is no code/))
})

for (const [what, path, answer, reason] of [
  ['hangs up', '/.well-known/openid-configuration', 'hang up', 'unavailable'],
  ['fails', '/.well-known/openid-configuration', { status: 503, body: {} }, 'unavailable'],
  ['is another', '/.well-known/openid-configuration', { body: { issuer: 'https://evil.example' } }, 'invalid'],
  ['hangs up on the code', '/token', 'hang up', 'unavailable'],
  ['fails on the code', '/token', { status: 502, body: 'x' }, 'unavailable'],
  ['refuses the client', '/token', { status: 401, body: { error: 'invalid_client' } }, 'invalid'],
  ['gives no ID token', '/token', { body: { access_token: 'x', token_type: 'Bearer' } }, 'invalid'],
  ['hangs up on the keys', '/jwks', 'hang up', 'unavailable'],
] as const)
  test(`a provider that ${what} identifies nobody, and the next sign-in asks it again`, async () => {
    const provider = providerWith()
    forge.answers.set(path, answer)
    await assert.rejects(signIn(ada, { provider }), isFailure(reason))
    forge.answers.clear()
    assert.equal((await signIn(ada, { provider })).subject, 'ada-1')
  })

test('the client’s secret is in the header, or in the body for a provider that accepts it only there', async () => {
  await signIn()
  const body = { ...forge.metadata(), token_endpoint_auth_methods_supported: ['client_secret_post'] }
  forge.answers.set('/.well-known/openid-configuration', { body })
  await signIn()
  assert.deepEqual(forge.authentications, ['header', 'body'])
})
