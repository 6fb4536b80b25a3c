import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { each } from '#test/each.ts'
import { hand, letter } from '#test/mail/letter.ts'
import { hostname } from '#test/world/installation.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

describe('what a message says of itself', () => {
  let world: World
  let organization: TestOrganization
  let address: string
  before(async () => {
    world = await World.start()
    organization = await world.organization()
    ;({ address } = await organization.mailbox('ada'))
    world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
    world.dns.set('strict.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  })
  after(() => world[Symbol.asyncDispose]())

  async function get(path: string) {
    return await organization.bodyOf(200, 'GET', path)
  }

  const newest = async () => (await get(`/v1/messages?mailbox=${address}&limit=1`)).data[0]

  test('is the same in the list, alone and in its conversation', async () => {
    const fields = {
      From: 'ann@strict.example',
      Date: 'Sat, 21 Nov 2026 08:44:33 +0100',
      'List-Unsubscribe': '<https://strict.example/leave>, <mailto:leave@strict.example>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }
    assert.equal(await hand(world, 'ann@strict.example', address, letter(fields)), '250 2.6.0')
    const listed = await newest()
    const expected = {
      date: '2026-11-21T07:44:33.000Z',
      authentication: { spf: 'pass', dkim: 'none', dmarc: 'pass', domain: 'strict.example', aligned: true },
      list_unsubscribe: {
        urls: ['https://strict.example/leave'],
        mailto: ['mailto:leave@strict.example'],
        one_click: true,
      },
    }
    assert.partialDeepStrictEqual(listed, expected)
    assert.partialDeepStrictEqual(await get(`/v1/messages/${listed.uid}?mailbox=${address}`), listed)
    const thread = await get(`/v1/threads/${listed.thread_id}?mailbox=${address}`)
    assert.partialDeepStrictEqual(thread.messages[0], { ...expected, thread_id: listed.thread_id })
  })

  test('never includes results that its sender wrote', async () => {
    const passed = `${hostname};\r\n\tspf=pass smtp.mailfrom=ceo@bank.example;\r\n\tdkim=pass header.d=bank.example;\r\n\tdmarc=pass header.from=bank.example`
    const forged = `Return-Path: <ceo@bank.example>\r\nAuthentication-Results: ${passed}\r\nReceived: from a by ${hostname}\r\n`
    for (const first of ['', forged, `${forged}${forged}`, `Authentication-Results: ${passed}\r\n`]) {
      const forged = first + letter({ From: 'ceo@bank.example' })
      assert.equal(await hand(world, 'x@peer.example', address, forged), '250 2.6.0')
      const { authentication } = await newest()
      assert.deepEqual(authentication, { spf: 'none', dkim: 'none', dmarc: 'none', domain: null, aligned: false })
    }
  })

  test('has no results where mail did not arrive over SMTP', async () => {
    const { address: bob } = await organization.mailbox('bob')
    const sent = { from: address, to: bob, subject: 'From here', text: 'Hello' }
    assert.equal((await organization.request('POST', '/v1/send', sent)).status, 202)
    await world.outbound.processAll()
    for (const place of [`mailbox=${bob}`, `mailbox=${address}&folder=sent`]) {
      const { data } = await get(`/v1/messages?${place}`)
      assert.deepEqual(each(data, 'subject', 'authentication'), [['From here', null]])
    }
  })

  test('names the conversation that the message is in, and that of the folder that it moves to', async () => {
    const { address: eve } = await organization.mailbox('eve')
    const ids = async (folder: string) => {
      const { data } = await get(`/v1/messages?mailbox=${eve}&folder=${folder}`)
      return data.map((one: { thread_id: string }) => one.thread_id)
    }
    await hand(world, 'x@peer.example', eve, letter({ 'Message-ID': '<late@x>', References: '<root@x>' }))
    await hand(world, 'x@peer.example', eve, letter({ 'Message-ID': '<reply@x>', 'In-Reply-To': '<late@x>' }))
    await hand(world, 'x@peer.example', eve, letter({ 'Message-ID': '<other@x>' }))
    const threads = await get(`/v1/threads?mailbox=${eve}`)
    const [other, both] = each(threads.data, 'id')
    assert.deepEqual(await ids('inbox'), [other, both, both])
    const moved = await organization.request('PATCH', `/v1/messages/2?mailbox=${eve}`, { folder: 'archive' })
    assert.deepEqual(await ids('archive'), [moved.body.thread_id])
    const [archived] = (await get(`/v1/threads?mailbox=${eve}&folder=archive`)).data
    assert.equal(moved.body.thread_id, archived.id)
    assert.deepEqual(await ids('inbox'), [other, both])
  })

  test('names its conversation over folders, which moving does not change; none in junk', async () => {
    const { address: flo } = await organization.mailbox('flo')
    const ids = async (folder: string) => {
      const { data } = await get(`/v1/messages?mailbox=${flo}&folder=${folder}`)
      return data.map((one: { conversation_id: string | null }) => one.conversation_id)
    }
    await hand(world, 'x@peer.example', flo, letter({ 'Message-ID': '<first@x>' }))
    await hand(world, 'x@peer.example', flo, letter({ 'Message-ID': '<second@x>', 'In-Reply-To': '<first@x>' }))
    await hand(world, 'x@peer.example', flo, letter({ 'Message-ID': '<third@x>' }))
    const [alone, both] = each((await get(`/v1/conversations?mailbox=${flo}`)).data, 'id')
    assert.deepEqual(await ids('inbox'), [alone, both, both])
    const moved = await organization.request('PATCH', `/v1/messages/1?mailbox=${flo}`, { folder: 'archive' })
    assert.equal(moved.body.conversation_id, both)
    assert.deepEqual(await ids('archive'), [both])
    assert.equal((await get(`/v1/messages/2?mailbox=${flo}`)).conversation_id, both)
    const { messages } = await get(`/v1/conversations/${both}?mailbox=${flo}`)
    const [
      {
        data: [archived],
      },
      {
        data: [, reply],
      },
    ] = [await get(`/v1/messages?mailbox=${flo}&folder=archive`), await get(`/v1/messages?mailbox=${flo}`)]
    const expected = [archived, reply].map((listed) => ({ ...listed, not_delivered: [] }))
    assert.deepEqual(messages, expected)
    await organization.request('PATCH', `/v1/messages/3?mailbox=${flo}`, { folder: 'junk' })
    assert.deepEqual(await ids('junk'), [null])
  })
})
