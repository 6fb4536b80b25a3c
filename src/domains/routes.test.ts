// On both databases: requests enrol one domain, and reach a cap, at once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { Enrolled } from '#test/world/dns/enrolled.ts'
import { each } from '#test/world/each.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const shared = await world.organization({ plan: 'business' })

async function firstCheck(): Promise<void> {
  world.clock.advance(60_000)
  await world.domainChecks.run()
}

test('a domain is shown with all that is to be published, and by its id as in the list', async () => {
  const body = await shared.bodyOf(201, 'POST', '/v1/domains', { domain: 'Bücher.Example' })
  const { id, ownership_token: value, dns, optional_dns: optional, next_check_at: next, created_at: made } = body
  assert.partialDeepStrictEqual(body, {
    ...{ domain: 'xn--bcher-kva.example', domain_unicode: 'bücher.example', status: 'pending', suspended: false },
    ...{ ownership_verified_at: null, receiving_verified_at: null, outstanding: 4, last_checked_at: null },
  })
  assert.deepEqual(dns[0], {
    ...{ purpose: 'ownership', type: 'TXT', name: '_mailroom-challenge.xn--bcher-kva.example', value },
    ...{ priority: null, ttl: 3_600, satisfied: false, last_checked_at: null, found: [], problem: null, fix: null },
  })
  assert.equal(Date.parse(next) - Date.parse(made), 60_000)
  assert.deepEqual(each(optional, 'purpose'), ['mta_sts', 'mta_sts', 'tls_rpt'])
  assert.deepEqual((await shared.request('GET', `/v1/domains/${id}`)).body, body)
  const { data } = (await shared.request('GET', '/v1/domains')).body
  const listed = data.find((one: { id: string }) => one.id === id)
  assert.deepEqual(listed, body)
})

test('what is no domain is invalid_request', async () => {
  const { error } = await shared.bodyOf(400, 'POST', '/v1/domains', { domain: 'co.uk' })
  assert.equal(error.field, 'domain')
})

test('a domain that the organization has enrolled already is invalid_request, however it is written', async () => {
  await Enrolled.enrol(shared, 'twice.test')
  for (const domain of ['twice.test', 'TWICE.test', 'twice.test.', 'twiCe.test']) {
    const { error } = await shared.bodyOf(400, 'POST', '/v1/domains', { domain })
    assert.partialDeepStrictEqual(error, { field: 'domain', message: 'twice.test is enrolled already' })
  }
})

test('20 enrolments of one domain at once give one 201', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => shared.request('POST', '/v1/domains', { domain: 'at-once.test' })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(400)])
})

test('over the plan’s cap it is 402 quota_exceeded, also when many come at once', async () => {
  const organization = await world.organization({ plan: 'team' })
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => organization.request('POST', '/v1/domains', { domain: `cap-${n}.test` })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(4).fill(201), ...Array(8).fill(402)])
  const refused = answers.find(({ status }) => status === 402)
  assert.partialDeepStrictEqual(refused?.body.error, { code: 'quota_exceeded', message: 'The plan allows 5 domains' })
  const { body } = await organization.request('GET', '/v1/usage')
  assert.deepEqual(body.domains, { used: 5, limit: 5, remaining: 0 })
})

test('DELETE is refused while there are mailboxes, and gives the place in the plan back', async () => {
  const organization = await world.organization()
  const domain = await Enrolled.enrol(organization, 'deleted.test')
  await domain.publish()
  await firstCheck()
  const made = await organization.request('POST', '/v1/mailboxes', { domain: 'deleted.test', local_part: 'ada' })
  assert.equal(made.status, 201)
  const { error } = await organization.bodyOf(400, 'DELETE', `/v1/domains/${domain.id}`)
  assert.partialDeepStrictEqual(error, { code: 'invalid_request', message: 'deleted.test has a mailbox' })
  await world.db.deleteFrom('mailboxes').where('id', '=', made.body.id).execute()
  const suspend = (suspended_at: Date | null) =>
    world.db.updateTable('domains').set({ suspended_at }).where('id', '=', domain.id).execute()
  await suspend(new Date())
  const { error: suspended } = await organization.bodyOf(400, 'DELETE', `/v1/domains/${domain.id}`)
  assert.equal(suspended.message, 'deleted.test is suspended')
  await suspend(null)
  const body = await organization.bodyOf(200, 'DELETE', `/v1/domains/${domain.id}`)
  assert.deepEqual(body, { deleted: true, id: domain.id, domain: 'deleted.test' })
  assert.equal((await organization.request('GET', `/v1/domains/${domain.id}`)).status, 404)
  assert.deepEqual(await world.db.selectFrom('dkim_keys').selectAll().where('domain_id', '=', domain.id).execute(), [])
  assert.equal((await organization.request('GET', '/v1/usage')).body.domains.used, 1)
})

test('a removed and re-enrolled domain has another token, and the old one proves nothing', async () => {
  const organization = await world.organization()
  const first = await Enrolled.enrol(organization, 'again.test')
  await first.publish()
  await organization.request('DELETE', `/v1/domains/${first.id}`)
  const second = await Enrolled.enrol(organization, 'again.test')
  await firstCheck()
  const { ownership_verified_at: owned, dns } = await second.shown()
  assert.equal(owned, null)
  assert.equal(dns[0]?.problem, 'mismatch')
})

test('GET /v1/domains/{id}/zone is a zone file of what is outstanding', async () => {
  const domain = await Enrolled.enrol(shared, 'zone.test')
  const zone = async () => {
    const { status, headers, bytes } = await shared.request('GET', `/v1/domains/${domain.id}/zone`)
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/dns; charset=utf-8'])
    return bytes.toString('utf8').match(/.* IN .*/g) ?? []
  }
  assert.equal((await zone()).length, 4)
  await domain.publish('mx', 'ownership')
  await firstCheck()
  const left = (await zone()).map((line) => line.split(' ')[0]?.replace(/^mr[0-9a-f]+/, 'mr'))
  const keys = ['mr-rsa._domainkey.zone.test.', 'mr-ed._domainkey.zone.test.']
  assert.deepEqual(left, ['zone.test.', '_dmarc.zone.test.', ...keys])
})

test('the MTA-STS policy is served under the name of a verified domain alone', async () => {
  const domain = await Enrolled.enrol(shared, 'policy.test')
  const ask = async (host: string) => {
    const asked = request(`${world.base}/.well-known/mta-sts.txt`, { headers: { host } }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const text = (await response.setEncoding('utf8').toArray()).join('')
    return { status: response.statusCode, text, type: response.headers['content-type'] }
  }
  assert.equal((await ask('mta-sts.policy.test')).status, 404)
  await domain.publish()
  await firstCheck()
  const { status, text, type } = await ask('MTA-STS.policy.test:443')
  assert.deepEqual([status, type], [200, 'text/plain; charset=utf-8'])
  assert.equal(text, 'version: STSv1\r\nmode: testing\r\nmx: mx.mailroom.test\r\nmax_age: 86400\r\n')
  for (const host of ['policy.test', 'mta-sts.nobody.test', 'mta-sts.', 'localhost', 'mta-sts.mta-sts.policy.test'])
    assert.equal((await ask(host)).status, 404, host)
})
