import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hand, letter } from '#test/mail/letter.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization()

let count = 0
/** Mail for the mailbox, each message under a number of its own. */
async function arrive(address: string, messages: number): Promise<string[]> {
  const subjects = Array.from({ length: messages }, () => `Letter ${++count}`)
  for (const Subject of subjects)
    assert.equal(await hand(world, 'ann@peer.example', address, letter({ Subject })), '250 2.6.0')
  return subjects
}

async function page(path: string, address: string, folder: string, query = '') {
  const body = await organization.bodyOf(200, 'GET', `${path}?mailbox=${address}&folder=${folder}&${query}`)
  return body.data
}

for (const path of ['/v1/messages', '/v1/threads'])
  test(`${path}: what asks for page 0 until there is none archives all, though mail comes and goes meanwhile`, async () => {
    const { address } = await organization.mailbox(`box-${++count}`)
    const subjects = await arrive(address, 10)
    for (let round = 0; ; round++) {
      const data = await page(path, address, 'inbox', 'limit=3')
      if (data.length === 0) break
      const uids = data.flatMap((one: { uid: number; uids?: number[] }) => one.uids ?? [one.uid])
      if (round < 3) subjects.push(...(await arrive(address, 2)))
      const change = await organization.request('PATCH', `/v1/messages?mailbox=${address}`, { uids, folder: 'archive' })
      assert.deepEqual(change.body.updated.length, uids.length)
    }
    const archived = await page('/v1/messages', address, 'archive', 'limit=100')
    assert.deepEqual(archived.map(({ subject }: { subject: string }) => subject).sort(), subjects.sort())
  })
