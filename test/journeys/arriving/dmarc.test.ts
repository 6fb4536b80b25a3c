import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hand, letter, messagesIn, newestIn, subjectsIn } from '#test/mail/letter.ts'
import { World } from '#test/world/world.ts'

// On one database: a message is judged before it is stored.

const world = await World.ofFile()
const { organization, address } = await world.mailbox('ada')
world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
world.dns.set('_dmarc.careful.example', { txt: ['v=DMARC1; p=quarantine'] })

describe("mail that is not provably its author's own", () => {
  test('is refused with 550 5.7.26 where the author asks for it', async () => {
    const message = letter({ From: 'ceo@strict.example', Subject: 'Wire the money' })
    assert.equal(await hand(world, 'x@peer.example', address, message), '550 5.7.26')
    assert.deepEqual(await subjectsIn(organization, address), [])
  })

  test('goes to junk where the author asks for quarantine', async () => {
    const message = letter({ From: 'bill@careful.example', Subject: 'Odd' })
    assert.equal(await hand(world, 'x@peer.example', address, message), '250 2.6.0')
    assert.deepEqual(await subjectsIn(organization, address, 'junk'), ['Odd'])
    assert.match(await newestIn(organization, address, 'junk'), /dmarc=fail/)
  })

  test('goes where a filter moves it, even then', async () => {
    const on = { name: 'Bills', field: 'subject', op: 'is', value: 'Bill', action: 'move', argument: 'Bills' }
    assert.equal((await organization.request('POST', '/v1/filters', on)).status, 201)
    const message = letter({ From: 'bill@careful.example', Subject: 'Bill' })
    assert.equal(await hand(world, 'x@peer.example', address, message), '250 2.6.0')
    assert.deepEqual(await subjectsIn(organization, address, 'Bills'), ['Bill'])
  })

  test('is refused where another author stands in front', async () => {
    const message = letter({ From: 'x@peer.example, ceo@str\u00adict.example', Subject: 'Wire the money' })
    assert.equal(await hand(world, 'x@peer.example', address, message), '550 5.7.26')
  })

  test('is refused where nobody could say whose it is: too many authors to judge', async () => {
    const domains = Array.from({ length: 10 }, (_, place) => `x@peer${place}.example`).join(', ')
    for (const from of [
      `${domains}, ceo@strict.example`,
      `x@peer.example,${'x'.repeat(900).concat('\r\n ').repeat(300)}, ceo@strict.example`,
    ])
      assert.equal(await hand(world, 'x@peer.example', address, letter({ From: from })), '554 5.6.0')
  })

  test('is junk where its author has no domain that could be asked', async () => {
    for (const From of [undefined, 'The Bank']) {
      const message = letter({ From, Subject: `Whose? ${From}` })
      assert.equal(await hand(world, 'x@peer.example', address, message), '250 2.6.0')
      assert.equal((await subjectsIn(organization, address, 'junk'))[0], `Whose? ${From}`)
      assert.match(await newestIn(organization, address, 'junk'), /dmarc=permerror/)
    }
  })

  test('waits where the DNS does not answer, and is judged when it does', async () => {
    world.dns.set('_dmarc.broken.example', { fails: 'timeout' })
    const message = letter({ From: 'ceo@broken.example', Subject: 'Who knows' })
    const before = await subjectsIn(organization, address)
    assert.equal(await hand(world, 'x@peer.example', address, message), '451 4.7.26')
    assert.deepEqual(await subjectsIn(organization, address), before)
    world.dns.set('_dmarc.broken.example', { txt: ['v=DMARC1; p=reject'] })
    assert.equal(await hand(world, 'x@peer.example', address, message), '550 5.7.26')
  })

  test('shows the fields that were signed, not those in front of them', async () => {
    const twice = { Subject: 'Added\r\nSubject: Signed', 'Reply-To': 'x@evil.example\r\nReply-To: ann@peer.example' }
    assert.equal(await hand(world, 'ann@peer.example', address, letter(twice)), '250 2.6.0')
    const [{ uid = 0, subject = '' } = {}] = await messagesIn(organization, address)
    assert.equal(subject, 'Signed')
    const { body } = await organization.request('GET', `/v1/messages/${uid}?mailbox=${address}&folder=inbox`)
    assert.deepEqual(body.reply_to, [{ name: '', address: 'ann@peer.example' }])
  })
})
