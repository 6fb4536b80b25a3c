import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hand, letter, newestIn, subjectsIn } from '../peer.ts'
import { type TestOrganization, World } from '../world.ts'

describe("DMARC: mail that is not provably its author's own", () => {
  let world: World
  let organization: TestOrganization
  let address: string
  before(async () => {
    world = await World.start()
    organization = await world.organization()
    ;({ address } = await organization.mailbox('ada'))
    world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
    world.dns.set('strict.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
    world.dns.set('_dmarc.careful.example', { txt: ['v=DMARC1; p=quarantine'] })
  })
  after(() => world[Symbol.asyncDispose]())

  test('is refused with 550 5.7.26 where the author asks for it', async () => {
    const message = letter({ From: 'ceo@strict.example', Subject: 'Wire the money' })
    assert.equal(await hand(world, 'x@peer.example', address, message), '550 5.7.26')
    assert.deepEqual(await subjectsIn(organization, address), [])
  })

  test('is taken where SPF vouches for the author', async () => {
    const message = letter({ From: 'ceo@strict.example', Subject: 'Really me' })
    assert.equal(await hand(world, 'ceo@strict.example', address, message), '250 2.6.0')
    assert.match(await newestIn(organization, address), /dmarc=pass\r\n\t header\.from=strict\.example/)
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

  test('is taken where DNS is out of order', async () => {
    world.dns.set('_dmarc.broken.example', { fails: 'timeout' })
    world.dns.set('broken.example', { fails: 'servfail' })
    const message = letter({ From: 'x@broken.example', Subject: 'Who knows' })
    assert.equal(await hand(world, 'x@broken.example', address, message), '250 2.6.0')
    assert.match(await newestIn(organization, address), /spf=temperror.*dmarc=temperror/s)
  })
})
