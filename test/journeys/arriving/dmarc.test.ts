import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hand, letter, messagesIn, newestIn, subjectsIn } from '#test/mail/letter.ts'
import { World } from '#test/world/world.ts'

// On one database: a message is judged before it is stored.

const world = await World.ofFile()
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
    assert.equal(await hand(world, 'x@peer.example', address, letter(fields)), expected)
    const held = (name: string) => subjectsIn(organization, address, name).catch((): string[] => [])
    for (const name of ['inbox', 'junk', 'Bills'])
      assert.equal((await held(name)).includes(fields.Subject), name === folder, name)
    if (folder) assert.match(await newestIn(organization, address, folder), From ? /dmarc=fail/ : /dmarc=permerror/)
  })

test('a message shows the fields that were signed, not those in front of them', async () => {
  const twice = { Subject: 'Added\r\nSubject: Signed', 'Reply-To': 'x@evil.example\r\nReply-To: ann@peer.example' }
  assert.equal(await hand(world, 'ann@peer.example', address, letter(twice)), '250 2.6.0')
  const [{ uid = 0, subject = '' } = {}] = await messagesIn(organization, address)
  assert.equal(subject, 'Signed')
  const { body } = await organization.request('GET', `/v1/messages/${uid}?mailbox=${address}&folder=inbox`)
  assert.deepEqual(body.reply_to, [{ name: '', address: 'ann@peer.example' }])
})
