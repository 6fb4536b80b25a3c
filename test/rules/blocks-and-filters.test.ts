import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { blockSender } from '#/rules/blocked-senders/block.ts'
import { addFilter } from '#/rules/filters/changes.ts'
import { hand as handTo, letter, messagesIn, newestIn, subjectsIn } from '#test/world/letters/letter.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

const hand = (from: string, to: string | string[], message?: string) => handTo(world, from, to, message)

async function created(organization: TestOrganization, path: string, fields: object) {
  return await organization.bodyOf(201, 'POST', path, fields)
}

describe('a blocked sender', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  const [ada, bob] = [(await one.mailbox('ada')).address, (await other.mailbox('bob')).address]
  for (const pattern of ['@Example.com', 'Ann@example.net']) await created(one, '/v1/blocked-senders', { pattern })

  const ok = 'someone@peer.example'
  for (const [what, sender, fields, expected] of [
    ['in the envelope', 'x@Example.COM', {}, '550 5.7.1'],
    ['in the envelope, in quotes', '"ann"@example.net', {}, '550 5.7.1'],
    ['among several authors', ok, { From: 'A <a@peer.example>, "B, C" <b@example.com>' }, '550 5.7.1'],
    ['whom a display name hides', ok, { From: 'x@exam\u00adple.com <someone@peer.example>' }, '550 5.7.1'],
    ['in Sender', ok, { From: ok, Sender: '"The list" <owner@example.com>' }, '550 5.7.1'],
    ['of nobody’s pattern', 'x@sub.example.com', { From: 'ann+news@example.net' }, '250 2.6.0'],
    ['that is null, without From', '', { From: undefined }, '250 2.6.0'],
  ] as const)
    test(`${what} hears ${expected}, and reaches postmaster@ and abuse@`, async () => {
      assert.equal(await hand(sender, ada, letter({ From: ok, ...fields })), expected)
      for (const local of ['postmaster', 'Abuse+report'])
        assert.equal(await hand(sender, `${local}@${one.domain}`, letter({ From: ok, ...fields })), '250 2.6.0')
    })

  test('in the envelope is refused for who blocks alone, and an author drops out where another gets the message', async () => {
    assert.equal(await hand('x@example.com', bob), '250 2.6.0')
    const message = letter({ From: 'x@example.com', Subject: 'For one of you' })
    assert.equal(await hand(ok, [ada, bob], message), '250 2.6.0')
    assert.ok(!(await subjectsIn(one, ada)).includes('For one of you'))
    assert.ok((await subjectsIn(other, bob)).includes('For one of you'))
  })

  test('is accepted at once when the block ends', async () => {
    const { address } = await one.mailbox('cy')
    await created(one, '/v1/blocked-senders', { pattern: 'passing@example.org' })
    assert.equal(await hand('passing@example.org', address), '550 5.7.1')
    assert.equal((await one.request('DELETE', '/v1/blocked-senders/passing@example.org')).status, 200)
    assert.equal(await hand('passing@example.org', address), '250 2.6.0')
  })

  test("of a member's own is blocked from the member's own mailbox alone", async () => {
    const member = await other.member(`dee@${other.domain}`)
    const { address } = await other.mailbox('dee')
    const owner = { organizationId: other.id, memberId: member.id }
    await world.db.transaction().execute((tx) => blockSender(tx, owner, '@noisy.example', byOperator))
    for (const [sender, author] of [
      ['x@noisy.example', ok],
      [ok, 'x@noisy.example'],
    ] as const) {
      assert.equal(await hand(sender, address, letter({ From: author })), '550 5.7.1')
      assert.equal(await hand(sender, bob, letter({ From: author })), '250 2.6.0')
    }
  })
})

test('filters act for each of several mailboxes, by what it was reached at, and a member’s own on that mailbox alone', async () => {
  const organization = await world.organization()
  const member = await organization.member(`ada@${organization.domain}`)
  const [ada, bob] = [await organization.mailbox('ada'), await organization.mailbox('bob')]
  const reached = bob.address.replace('@', '+list@')
  const listed = { name: 'Lists', field: 'to', op: 'is', value: reached, action: 'move', argument: 'Lists' }
  await created(organization, '/v1/filters', listed)
  const owner = { organizationId: organization.id, memberId: member.id }
  const own = { name: 'Own', field: 'from', op: 'contains', value: 'ann', enabled: true, position: 0 } as const
  await world.db
    .transaction()
    .execute((tx) => addFilter(tx, owner, { ...own, action: 'star', argument: null }, byOperator))
  const message = letter({ Subject: 'To a list', To: 'undisclosed-recipients:;' })
  assert.equal(await hand('ann@peer.example', [ada.address, reached], message), '250 2.6.0')
  const stars = async (address: string, folder?: string) =>
    (await messagesIn(organization, address, folder)).map(({ subject, starred }) => [subject, starred])
  assert.deepEqual(await stars(bob.address, 'Lists'), [['To a list', false]])
  assert.deepEqual(await stars(ada.address), [['To a list', true]])
})

// On one database: a message is judged before it is stored.

const { organization, address } = await world.mailbox('ada')
world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
world.dns.set('_dmarc.careful.example', { txt: ['v=DMARC1; p=quarantine'] })
world.dns.set('_dmarc.broken.example', { fails: 'timeout' })
const bills = { name: 'Bills', field: 'subject', op: 'is', value: 'Bill', action: 'move', argument: 'Bills' }
await organization.bodyOf(201, 'POST', '/v1/filters', bills)

const many = Array.from({ length: 10 }, (_, place) => `x@peer${place}.example`).join(', ')
for (const [what, From, expected, folder, more = {}] of [
  ['of an author who asks to refuse it', 'ceo@strict.example', '550 5.7.26', undefined],
  ['of an author who asks for quarantine', 'bill@careful.example', '250 2.6.0', 'junk'],
  ['of such an author, which a filter moves,', 'bill@careful.example', '250 2.6.0', 'Bills', { Subject: 'Bill' }],
  ['of nobody', undefined, '250 2.6.0', 'junk'],
  ['of an author of whom the DNS says nothing now', 'ceo@broken.example', '451 4.7.26', undefined],
  ['of too many authors', `${many}, ceo@strict.example`, '554 5.6.0', undefined],
  ['of authors without an end', `x@peer.example,${`${'x'.repeat(900)}\r\n `.repeat(300)}`, '554 5.6.0', undefined],
] as const)
  test(`unproven mail ${what} hears ${expected}${folder ? `, and lies in ${folder}` : ''}`, async () => {
    const fields = { From, Subject: what, ...more }
    assert.equal(await hand('x@peer.example', address, letter(fields)), expected)
    const held = (name: string) => subjectsIn(organization, address, name).catch((): string[] => [])
    for (const name of ['inbox', 'junk', 'Bills'])
      assert.equal((await held(name)).includes(fields.Subject), name === folder, name)
    if (folder) assert.match(await newestIn(organization, address, folder), From ? /dmarc=fail/ : /dmarc=permerror/)
  })

test('a message shows the fields that were signed, not those in front of them', async () => {
  const twice = { Subject: 'Added\r\nSubject: Signed', 'Reply-To': 'x@evil.example\r\nReply-To: ann@peer.example' }
  assert.equal(await hand('ann@peer.example', address, letter(twice)), '250 2.6.0')
  const [{ uid = 0, subject = '' } = {}] = await messagesIn(organization, address)
  assert.equal(subject, 'Signed')
  const { body } = await organization.request('GET', `/v1/messages/${uid}?mailbox=${address}&folder=inbox`)
  assert.deepEqual(body.reply_to, [{ name: '', address: 'ann@peer.example' }])
})
