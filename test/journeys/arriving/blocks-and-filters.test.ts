import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hand as handTo, letter, messagesIn, subjectsIn } from '#test/mail/letter.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.start()
after(() => world[Symbol.asyncDispose]())

const hand = (from: string, to: string | string[], message?: string) => handTo(world, from, to, message)

async function block(organization: TestOrganization, pattern: string): Promise<void> {
  const { status } = await organization.request('POST', '/v1/blocked-senders', { pattern })
  assert.ok(status === 201 || status === 200)
}

async function filter(organization: TestOrganization, fields: Record<string, unknown>): Promise<{ id: string }> {
  const { status, body } = await organization.request('POST', '/v1/filters', { name: 'A filter', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

describe('row 17: @example.com and ann@example.net are blocked', () => {
  let organization: TestOrganization
  let address: string
  before(async () => {
    organization = await world.organization()
    ;({ address } = await organization.mailbox('ada'))
    await block(organization, '@Example.com')
    await block(organization, 'Ann@example.net')
    await block(organization, '@bücher.example')
  })

  const others = 'someone@peer.example'
  for (const [what, from, author] of [
    ['the domain', 'x@Example.COM', others],
    ['the domain in From', others, 'X <x@EXAMPLE.com>'],
    ['the domain, of one author among several', others, 'A <a@peer.example>, "B, C" <b@example.com>'],
    ['the domain, hidden behind a display name', others, '"ann@peer.example" <x@example.com>'],
    ['the address', 'ann@example.net', others],
    ['the address in another case', 'ANN@Example.net', others],
    ['the address in From, encoded name and all', others, '=?UTF-8?Q?=C3=84nn?= <ann@example.net>'],
    ['the domain outside ASCII, in its ASCII form', 'x@xn--bcher-kva.example', others],
    ['the domain outside ASCII in From', others, 'x@BÜCHER.example'],
  ] as const) {
    test(`${what} is refused with 550 5.7.1`, async () => {
      assert.equal(await hand(from, address, letter({ From: author })), '550 5.7.1')
    })
    test(`${what} still reaches postmaster@ and abuse@`, async () => {
      for (const local of ['postmaster', 'abuse', 'Abuse+report']) {
        assert.equal(await hand(from, `${local}@${organization.domain}`, letter({ From: author })), '250 2.6.0')
      }
    })
  }

  for (const from of [
    'x@sub.example.com',
    'x@notexample.com',
    'x@example.com.test',
    'example.com@other.test',
    'x@example.net',
    'joann@example.net',
    'ann+news@example.net',
  ]) {
    test(`${from} is not blocked`, async () => {
      assert.equal(await hand(from, address, letter({ From: from })), '250 2.6.0')
    })
  }

  test('neither is a null sender, nor a message without From', async () => {
    assert.equal(await hand('', address, letter({ From: undefined })), '250 2.6.0')
  })

  test('mail of an unblocked sender is accepted at once', async () => {
    const gone = await organization.request('DELETE', `/v1/blocked-senders/${encodeURIComponent('@example.com')}`)
    assert.equal(gone.status, 200)
    assert.equal(await hand('x@example.com', address, letter({ From: 'x@example.com' })), '250 2.6.0')
  })
})

describe('row 18: one has blocked the sender, the other has not', () => {
  let one: TestOrganization
  let two: TestOrganization
  let ada: string
  let bob: string
  before(async () => {
    ;[one, two] = [await world.organization(), await world.organization()]
    ;({ address: ada } = await one.mailbox('ada'))
    ;({ address: bob } = await two.mailbox('bob'))
    await block(one, 'ann@blocked.example')
  })

  test('envelope: RCPT is refused for the one alone', async () => {
    assert.equal(await hand('ann@blocked.example', ada), '550 5.7.1')
    assert.equal(await hand('ann@blocked.example', bob), '250 2.6.0')
  })

  test('From: the message is accepted, kept for the other, and dropped for the one', async () => {
    const message = letter({ From: 'ann@blocked.example', Subject: 'For one of you' })
    assert.equal(await hand('list@peer.example', [ada, bob], message), '250 2.6.0')
    assert.ok(!(await subjectsIn(one, ada)).includes('For one of you'))
    assert.ok((await subjectsIn(two, bob)).includes('For one of you'))
  })

  test('From: refused with 550 5.7.1 where all have blocked it', async () => {
    assert.equal(await hand('list@peer.example', ada, letter({ From: 'ann@blocked.example' })), '550 5.7.1')
  })

  test("a member's own block touches the member's own mailbox alone", async () => {
    const member = await two.member('cy@person.example')
    const cy = await two.mailbox('cy')
    await world.db.updateTable('mailboxes').set({ member_id: member.id }).where('id', '=', cy.id).execute()
    const pattern = { organization_id: two.id, member_id: member.id, pattern: '@noisy.example' }
    await world.db.insertInto('blocked_senders').values(pattern).execute()
    assert.equal(await hand('ann@noisy.example', cy.address), '550 5.7.1')
    assert.equal(await hand('ann@noisy.example', bob), '250 2.6.0')
    assert.equal(await hand('a@peer.example', [cy.address, bob], letter({ From: 'a@noisy.example' })), '250 2.6.0')
    assert.equal((await messagesIn(two, cy.address)).length, 0)
  })
})

describe('row 19: filters act together', () => {
  let organization: TestOrganization
  let address: string
  before(async () => {
    organization = await world.organization()
    ;({ address } = await organization.mailbox('ada'))
  })

  test('the first move in position wins; labels, star and read add up; what is disabled does not act', async () => {
    for (const name of ['Work', 'Money']) await organization.request('POST', '/v1/labels', { name })
    const on = { field: 'subject', op: 'contains', value: 'invoice' }
    await filter(organization, { ...on, action: 'move', argument: 'Second', position: 20 })
    await filter(organization, { ...on, action: 'move', argument: 'First', position: 10 })
    await filter(organization, { ...on, action: 'move', argument: 'Never', position: 1, enabled: false })
    await filter(organization, { ...on, action: 'label', argument: 'work' })
    await filter(organization, { ...on, action: 'label', argument: 'money' })
    await filter(organization, { ...on, action: 'star' })
    await filter(organization, { ...on, action: 'read' })
    await filter(organization, { ...on, value: 'something else', action: 'label', argument: 'work', position: 0 })
    assert.equal(await hand('ann@peer.example', address, letter({ Subject: 'Your INVOICE' })), '250 2.6.0')
    const [message] = await messagesIn(organization, address, 'First')
    assert.equal(message?.starred, true)
    assert.equal(message.unread, false)
    assert.deepEqual([...message.labels].sort(), ['money', 'work'])
    for (const empty of ['inbox', 'Second', 'Never']) {
      const { status, body } = await organization.request('GET', `/v1/messages?mailbox=${address}&folder=${empty}`)
      assert.ok(status === 400 || body.total === 0, empty)
    }
  })

  test('a message to several mailboxes is filtered for each, by what each was reached at', async () => {
    const bob = await organization.mailbox('bob')
    const at = `${bob.address.replace('@', '+list@')}`
    await filter(organization, { field: 'to', op: 'is', value: at, action: 'move', argument: 'Lists' })
    const message = letter({ Subject: 'To a list', To: 'undisclosed-recipients:;' })
    assert.equal(await hand('ann@peer.example', [address, at], message), '250 2.6.0')
    assert.deepEqual(await subjectsIn(organization, bob.address, 'Lists'), ['To a list'])
    assert.ok((await subjectsIn(organization, address)).includes('To a list'))
  })

  test('a filter that was changed acts as it is now', async () => {
    const { id } = await filter(organization, { field: 'from', op: 'is', value: 'cy@peer.example', action: 'star' })
    const starred = async (subject: string) => {
      await hand('cy@peer.example', address, letter({ From: 'cy@peer.example', Subject: subject }))
      return (await messagesIn(organization, address)).find((message) => message.subject === subject)?.starred
    }
    assert.equal(await starred('One'), true)
    await organization.request('PATCH', `/v1/filters/${id}`, { enabled: false })
    assert.equal(await starred('Two'), false)
    await organization.request('PATCH', `/v1/filters/${id}`, { enabled: true, value: 'dee@peer.example' })
    assert.equal(await starred('Three'), false)
    await organization.request('PATCH', `/v1/filters/${id}`, { value: 'cy@peer.example' })
    assert.equal(await starred('Four'), true)
    await organization.request('DELETE', `/v1/filters/${id}`)
    assert.equal(await starred('Five'), false)
  })
})

describe('row 20: filters see decoded text', () => {
  let organization: TestOrganization
  let address: string
  before(async () => {
    organization = await world.organization()
    ;({ address } = await organization.mailbox('ada'))
    await filter(organization, {
      ...{ field: 'subject', op: 'contains', value: 'žluťoučký kůň', action: 'move', argument: 'Horses' },
    })
    await filter(organization, { field: 'from', op: 'is', value: 'a@b.c', action: 'move', argument: 'From A' })
  })

  for (const [what, subject] of [
    ['RFC 2047 in Q', '=?utf-8?Q?P=C5=99=C3=ADli=C5=A1_=C5=BDLU=C5=A4OU=C4=8CK=C3=9D_k=C5=AF=C5=88?='],
    ['RFC 2047 in B, cut in the middle of a character', '=?UTF-8?B?xb5sdcWlb3XEjWvDvSBrxQ==?= =?UTF-8?B?r8WI?='],
    ['8-bit UTF-8', 'Jeden žluťoučký kůň'],
    ['a folded header', 'Jeden\r\n =?utf-8?Q?=C5=BElu=C5=A5ou=C4=8Dk=C3=BD?=\r\n =?utf-8?Q?_k=C5=AF=C5=88?='],
    ['decomposed characters', 'z\u030clut\u030couc\u030cky\u0301 ku\u030an\u030c'],
  ] as const) {
    test(`a subject in ${what} matches by its text`, async () => {
      const before = (await horses()).length
      assert.equal(await hand('ann@peer.example', address, letter({ Subject: subject })), '250 2.6.0')
      assert.equal((await horses()).length, before + 1)
    })
  }

  async function horses(): Promise<string[]> {
    const { status, body } = await organization.request('GET', `/v1/messages?mailbox=${address}&folder=Horses`)
    return status === 200 ? body.data : []
  }

  test('"is" compares with the address, never with a display name that looks like one', async () => {
    await hand('x@peer.example', address, letter({ From: '"a@b.c" <x@peer.example>', Subject: 'Pretender' }))
    await hand('x@peer.example', address, letter({ From: 'Real <A@B.C>', Subject: 'Real' }))
    assert.deepEqual(await subjectsIn(organization, address, 'From A'), ['Real'])
    assert.ok((await subjectsIn(organization, address)).includes('Pretender'))
  })
})
