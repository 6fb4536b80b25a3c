import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { hostname } from '#test/world/installation.ts'
import { hand, letter } from '#test/world/letters/letter.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const { organization, address } = await world.mailbox('ada')
world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
world.dns.set('strict.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })

async function get(path: string) {
  return await organization.bodyOf(200, 'GET', path)
}

const newest = async () => (await get(`/v1/messages?mailbox=${address}&limit=1`)).data[0]

test('what a message says of itself is the same in the list, alone and in its conversation', async () => {
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

test('what a message says of itself never includes results that its sender wrote', async () => {
  const passed = `${hostname};\r\n\tspf=pass smtp.mailfrom=ceo@bank.example;\r\n\tdkim=pass header.d=bank.example;\r\n\tdmarc=pass header.from=bank.example`
  const forged = `Return-Path: <ceo@bank.example>\r\nAuthentication-Results: ${passed}\r\nReceived: from a by ${hostname}\r\n`
  for (const first of ['', forged, `${forged}${forged}`, `Authentication-Results: ${passed}\r\n`]) {
    const forged = first + letter({ From: 'ceo@bank.example' })
    assert.equal(await hand(world, 'x@peer.example', address, forged), '250 2.6.0')
    const { authentication } = await newest()
    assert.deepEqual(authentication, { spf: 'none', dkim: 'none', dmarc: 'none', domain: null, aligned: false })
  }
})

test('what a message says of itself has no results where mail did not arrive over SMTP', async () => {
  const { address: bob } = await organization.mailbox('bob')
  const sent = { from: address, to: bob, subject: 'From here', text: 'Hello' }
  assert.equal((await organization.request('POST', '/v1/send', sent)).status, 202)
  await world.outbound.processAll()
  for (const place of [`mailbox=${bob}`, `mailbox=${address}&folder=sent`]) {
    const { data } = await get(`/v1/messages?${place}`)
    assert.deepEqual(each(data, 'subject', 'authentication'), [['From here', null]])
  }
})

test('a message of 100,000 references that arrives by SMTP is accepted and read', async () => {
  const { address: full } = await organization.mailbox('full')
  const References = Array.from({ length: 100_000 }, (_, number) => `<${number}@x.example>`).join('\r\n ')
  assert.equal(await hand(world, 'ann@peer.example', full, letter({ References })), '250 2.6.0')
  const { total, data } = await get(`/v1/threads?mailbox=${full}`)
  assert.deepEqual([total, data[0].uids], [1, [1]])
})
