import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { enrolDomain } from '#/domains/enrol.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { runCommand } from '../run.ts'

const now = Date.parse('2026-06-01T12:00:00Z')
const database = await databaseOfFile()
for (const name of ['Acme', 'Books']) {
  const { id: organizationId } = await createOrganization(database.db, { name, plan: 'team' }, byOperator)
  for (const domain of ['both.test', `xn--bcher-kva.${name.toLowerCase()}.test`]) {
    const enrolment = { organizationId, domain, now: new Date(now), firstCheckAfter: 60_000 }
    await database.db.transaction().execute((tx) => enrolDomain(tx, enrolment, byOperator))
  }
}

const operator = () => operatorOn({ database }, () => now)
const run = (...argv: readonly string[]) => runCommand(['domain', ...argv], operator())

test('domain list shows every organization’s domains, or one’s', async () => {
  const { stdout, exitCode } = await run('list', '--org', 'acme')
  assert.equal(exitCode, 0)
  const [headings, ...rows] = stdout.trimEnd().split('\n')
  assert.match(headings ?? '', /^DOMAIN +ORGANIZATION +STATUS +OUTSTANDING +LAST CHECK +NEXT CHECK +CATCH-ALL +ID$/)
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/).slice(0, 6)).sort(),
    ['both.test', 'bücher.acme.test'].map((domain) => [domain, 'Acme', 'pending', '4', '-', '2026-06-01 12:01']),
  )
  const { data } = await printed(operator(), 'domain', 'list')
  assert.equal(data.length, 4)
  assert.partialDeepStrictEqual(data[0], { status: 'pending', outstanding: 4 })
})

test('a domain that several organizations have enrolled is named with --org', async () => {
  const { stderr, exitCode } = await run('suspend', 'both.test')
  assert.deepEqual([exitCode, stderr], [1, 'mailroom: 2 organizations have enrolled both.test. Name one with --org\n'])
  const { stdout } = await run('suspend', 'both.test', '--org', 'Books')
  assert.equal(stdout, 'both.test is now suspended.\n')
  assert.match((await run('list')).stdout, /both\.test +Books +pending, suspended/)
})

test('a suspended domain is found under its Unicode name, suspended once, and resumed', async () => {
  const said = async (...argv: readonly string[]) => (await run(...argv)).stdout.trimEnd()
  assert.equal(await said('suspend', 'BÜCHER.acme.test'), 'xn--bcher-kva.acme.test is now suspended.')
  assert.equal(await said('suspend', 'bücher.acme.test'), 'xn--bcher-kva.acme.test was already suspended.')
  assert.equal(await said('resume', 'bücher.acme.test'), 'xn--bcher-kva.acme.test is now not suspended.')
})

test('an unknown domain, and one without keys yet, are errors that say so', async () => {
  assert.match((await run('resume', 'nobody.test')).stderr, /^mailroom: No domain "nobody\.test"/)
  assert.match((await run('rotate-dkim', 'bücher.acme.test')).stderr, /has no keys yet/)
})
