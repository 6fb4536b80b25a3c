import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { runCommand } from '#/app/cli/run.ts'
import { Keyring } from '#/base/secrets/keyring.ts'
import { Srs } from '#/out/follow-ups/srs.ts'
import { each } from '#test/world/each.ts'
import { secret } from '#test/world/installation.ts'
import { subjectsIn } from '#test/world/letters/letter.ts'
import { configure, forwardsTo } from '#test/world/mail/forwarding.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
let organization: TestOrganization
let ada: string
let bob: string
beforeEach(async () => {
  organization = await world.organization()
  ada = (await organization.mailbox('ada')).address
  bob = (await organization.mailbox('bob')).address
})

const operator = () => operatorOn(world)
const run = (...argv: string[]) => runCommand(argv, operator())
const refused = async (...argv: string[]) => {
  const { stderr, exitCode } = await run(...argv)
  assert.equal(exitCode, 1)
  return stderr
}
const at = (local: string) => `${local}@${organization.domain}`
const write = (to: string, subject: string) => world.send({ from: 'peer@far.example', to, subject, text: 'Hello' })
const shown = async (address: string): Promise<string[]> => {
  const { data } = (await organization.request('GET', '/v1/mailboxes')).body
  return data.find((mailbox: { address: string }) => mailbox.address === address).aliases
}

test('mail to an alias arrives, with a tag too, until it is removed; the API shows it', async () => {
  const added = await printed(operator(), 'mailbox', 'alias', 'add', ada, `Sales@${organization.domain.toUpperCase()}`)
  assert.deepEqual(added, { alias: at('sales'), mailbox: ada, organization: organization.name })
  assert.deepEqual(await shown(ada), [at('abuse'), at('postmaster'), at('sales')])
  await write(at('sales'), 'One')
  await write(at('sales+spring'), 'Two')
  assert.deepEqual((await subjectsIn(organization, ada)).sort(), ['One', 'Two'])
  assert.match((await run('mailbox', 'alias', 'add', ada, at('sales'))).stdout, /was before an alias of ada@/)
  const { data } = await printed(operator(), 'mailbox', 'alias', 'list', '--org', organization.name)
  const listed = each(data, 'alias', 'mailbox').join(' ')
  assert.equal(listed, ['abuse', 'postmaster', 'sales'].map((local) => `${at(local)},${ada}`).join(' '))
  assert.match((await run('mailbox', 'alias', 'remove', at('sales'))).stdout, /is no alias of ada@/)
  assert.deepEqual(await shown(ada), [at('abuse'), at('postmaster')])
  await assert.rejects(write(at('sales'), 'Three'), /550 5\.1\.1/)
  assert.match(await refused('mailbox', 'alias', 'remove', at('sales')), /No alias "sales@/)
})

test('an address is one mailbox’s alone, be it its own or an alias', async () => {
  await printed(operator(), 'mailbox', 'alias', 'add', ada, at('sales'))
  for (const taken of [bob, ada, at('sales')])
    assert.match(await refused('mailbox', 'alias', 'add', bob, taken), /exists already, at (ada|bob)@/)
  const made = await organization.request('POST', '/v1/mailboxes', { domain: organization.domain, local_part: 'sales' })
  assert.deepEqual([made.status, made.body.error.field], [400, 'local_part'])
  assert.match(await refused('mailbox', 'alias', 'remove', ada), /No alias "ada@/, 'its own address is none')
  const other = await world.organization()
  assert.match(await refused('mailbox', 'alias', 'add', ada, `x@${other.domain}`), /is not a domain that .* verified/)
  assert.match(await refused('mailbox', 'alias', 'add', ada, 'x@nobody.example'), /is not a domain that .* verified/)
  for (const given of [at('a+b'), at('.a'), at('a..b'), 'sales']) await refused('mailbox', 'alias', 'add', ada, given)
})

test('names with a meaning may be aliases; postmaster@ and abuse@ move and stay', async () => {
  for (const local of ['hostmaster', 'security', 'postmaster']) {
    await printed(operator(), 'mailbox', 'alias', 'add', bob, at(local))
    await write(at(local), local)
  }
  assert.deepEqual((await subjectsIn(organization, bob)).sort(), ['hostmaster', 'postmaster', 'security'])
  assert.deepEqual(await shown(ada), [at('abuse')])
  assert.match(await refused('mailbox', 'alias', 'remove', at('postmaster')), /Every domain has postmaster@/)
  await printed(operator(), 'mailbox', 'delete', bob)
  assert.deepEqual(await shown(ada), [at('abuse'), at('postmaster')])
  await assert.rejects(write(at('security'), 'x'), /550 5\.1\.1/)
})

test('a mailbox has no alias to which it forwards, and no more than a hundred', async () => {
  await configure(organization, ada, forwardsTo(at('later')))
  assert.match(await refused('mailbox', 'alias', 'add', ada, at('later')), /The mailbox forwards to later@/)
  await sql`
    insert into addresses (address, organization_id, mailbox_id, alias)
    select 'alias' || number || '@' || ${organization.domain}, organization_id, id, true
    from mailboxes, generate_series(1, 100) number where address = ${bob}`.execute(world.db)
  assert.match(await refused('mailbox', 'alias', 'add', bob, at('more')), /at most 100 aliases/)
})

test('a catch-all gets what is for nobody, and nothing else', async () => {
  const set = await printed(operator(), 'domain', 'catch-all', organization.domain, bob)
  assert.deepEqual(set, { domain: organization.domain, catch_all: bob })
  await write(at('anybody'), 'For nobody')
  await write(at('any.body+tag'), 'For nobody, tagged')
  await write(ada, 'For Ada')
  await write(at('ada+tag'), 'For Ada, tagged')
  assert.deepEqual((await subjectsIn(organization, bob)).sort(), ['For nobody', 'For nobody, tagged'])
  assert.deepEqual((await subjectsIn(organization, ada)).sort(), ['For Ada', 'For Ada, tagged'])
  const [listed] = (await printed(operator(), 'domain', 'list', '--org', organization.name)).data
  assert.equal(listed.catch_all, bob)

  // Another domain has none, and a rewritten sender that is none of ours is nobody's letter.
  const other = await world.organization()
  await assert.rejects(world.send({ from: 'peer@far.example', to: `x@${other.domain}`, text: 'x' }), /550 5\.1\.1/)
  const by = { mailboxId: '0badcafe-0000-4000-8000-000000000000', domain: organization.domain }
  const foreign = new Srs(new Keyring(`another ${secret}`)).rewrite('ann@far.example', by, new Date()).sender
  await assert.rejects(world.send({ envelope: { from: '', to: foreign }, text: 'x' }), /550 5\.1\.1/)
})

test('a catch-all ends when it is switched off, and with its mailbox; suspended it takes nothing', async () => {
  const catchAll = (address: string) => printed(operator(), 'domain', 'catch-all', organization.domain, address)
  await catchAll(bob)
  assert.deepEqual(await catchAll('off'), { domain: organization.domain, catch_all: null })
  await assert.rejects(write(at('anybody'), 'x'), /550 5\.1\.1/)
  await catchAll(at('postmaster'))
  await write(at('anybody'), 'By an alias')
  assert.deepEqual(await subjectsIn(organization, ada), ['By an alias'])
  await catchAll(bob)
  await printed(operator(), 'mailbox', 'suspend', bob)
  await assert.rejects(write(at('anybody'), 'x'), /550 5\.2\.1/)
  await printed(operator(), 'mailbox', 'delete', bob)
  await assert.rejects(write(at('anybody'), 'x'), /550 5\.1\.1/)
  assert.match(await refused('domain', 'catch-all', organization.domain, bob), /has no mailbox "bob@/)
  const { address: theirs } = await world.mailbox('eve')
  assert.match(await refused('domain', 'catch-all', organization.domain, theirs), /has no mailbox "eve@/)
})

test('Postfix finds any address of a domain with a catch-all', async () => {
  const known = async () => {
    const { rows } = await sql`
      select from postfix_catch_alls where domain = ${organization.domain}`.execute(world.db)
    return rows.length
  }
  assert.equal(await known(), 0)
  await printed(operator(), 'domain', 'catch-all', organization.domain, ada)
  assert.equal(await known(), 1)
})
