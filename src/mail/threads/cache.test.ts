import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Refusal } from '#/base/errors.ts'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import { type FolderChanges, folderChanges } from '#/mail/store/changes.ts'
import type { FolderState } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { World } from '#test/world/world.ts'
import { ThreadCache } from './cache.ts'

const world = await World.ofFile()

const key = idHashKey('a secret')

/** The store with a valve behind its answers, and a count of the looks at folders. */
class Watched {
  readonly looks: ('build' | 'catch up')[] = []
  /** Holds back answers, or changes them. */
  valve = async (step: FolderChanges): Promise<FolderChanges> => step

  readonly changes = async (mailbox: MailboxRef, folder: string, since: FolderState | undefined) => {
    this.looks.push(since ? 'catch up' : 'build')
    return this.valve(await folderChanges(world.db, mailbox, folder, since))
  }
}

function cacheOver({ changes }: Watched, maxBytes = 1 << 30): ThreadCache {
  return new ThreadCache({ changes, key, maxBytes })
}

async function mailboxWith(count: number): Promise<MailboxRef> {
  const { organization, id } = await world.mailbox('ada')
  const mailbox = { organizationId: organization.id, mailboxId: id }
  await storeMessages(world, mailbox, Array.from({ length: count }, letter))
  return mailbox
}

function letter() {
  return { seen: false, receivedAt: 1000, sender: 'ann@x.test', headers: '' }
}

test('requests for a folder whose index is being built wait for that one build', async () => {
  const mailbox = await mailboxWith(3)
  const host = new Watched()
  const cache = cacheOver(host)
  const gate = Promise.withResolvers<void>()
  host.valve = async (step) => {
    await gate.promise
    return step
  }
  const requests = Array.from({ length: 20 }, () => cache.upToDate(mailbox, 'inbox'))
  await turn()
  gate.resolve()
  const held = await Promise.all(requests)
  assert.deepEqual(host.looks, ['build', 'catch up'])
  assert.equal(new Set(held.map(({ index }) => index)).size, 1)
  assert.equal(held[0]?.index.total, 3)
})

test('a request sees what was written before it, though another one was already looking', async () => {
  const mailbox = await mailboxWith(1)
  const host = new Watched()
  const cache = cacheOver(host)
  await cache.upToDate(mailbox, 'inbox')
  const looked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  host.valve = async (step) => {
    looked.resolve()
    await gate.promise
    return step
  }
  const early = cache.upToDate(mailbox, 'inbox').then(({ index }) => index.messages)
  await looked.promise
  await storeMessages(world, mailbox, [letter()])
  const late = cache.upToDate(mailbox, 'inbox').then(({ index }) => index.messages)
  gate.resolve()
  assert.deepEqual(await Promise.all([early, late]), [1, 2])
})

test('the cache holds no more than it may, and lets go whole folders, those not asked for the longest first', async () => {
  const mailboxes = [await mailboxWith(2), await mailboxWith(2), await mailboxWith(2)] as const
  const host = new Watched()
  const measure = cacheOver(host)
  await measure.upToDate(mailboxes[0], 'inbox')
  const cache = cacheOver(host, 2 * measure.bytes)
  const looks = async (mailbox: MailboxRef) => {
    host.looks.length = 0
    await cache.upToDate(mailbox, 'inbox')
    assert.ok(cache.bytes <= 2 * measure.bytes)
    return host.looks
  }
  assert.deepEqual(await looks(mailboxes[0]), ['build'])
  assert.deepEqual(await looks(mailboxes[1]), ['build'])
  assert.deepEqual(await looks(mailboxes[0]), ['catch up'])
  assert.deepEqual(await looks(mailboxes[2]), ['build'])
  assert.deepEqual(await looks(mailboxes[0]), ['catch up'])
  assert.deepEqual(await looks(mailboxes[1]), ['build'])
})

test('a folder that is larger than the cache is still read', async () => {
  const cache = cacheOver(new Watched(), 1)
  const { index } = await cache.upToDate(await mailboxWith(2), 'inbox')
  assert.deepEqual([index.total, cache.bytes], [2, 0])
})

test('after the mail host was away, even in the middle of a build, a folder reads as it is', async () => {
  const host = new Watched()
  const cache = cacheOver(host)
  const mailbox = await mailboxWith(2)
  const away = async () => {
    throw new Refusal('mail_unavailable', 'away')
  }
  const { valve } = host
  host.valve = away
  await assert.rejects(cache.upToDate(mailbox, 'inbox'), { code: 'mail_unavailable' })
  host.valve = valve
  assert.equal((await cache.upToDate(mailbox, 'inbox')).index.messages, 2)
  host.valve = away
  await storeMessages(world, mailbox, [letter()])
  await assert.rejects(cache.upToDate(mailbox, 'inbox'), { code: 'mail_unavailable' })
  host.valve = valve
  assert.equal((await cache.upToDate(mailbox, 'inbox')).index.messages, 3)
})

test('a folder whose count does not add up is read again, and if that does not help the mail host has failed', async () => {
  const host = new Watched()
  const cache = cacheOver(host)
  const mailbox = await mailboxWith(2)
  await cache.upToDate(mailbox, 'inbox')
  host.valve = async (step) => ({ ...step, exists: host.looks.at(-1) === 'build' ? step.exists : 7 })
  host.looks.length = 0
  assert.equal((await cache.upToDate(mailbox, 'inbox')).index.messages, 2)
  assert.deepEqual(host.looks, ['catch up', 'build'])
  host.valve = async (step) => ({ ...step, exists: 7 })
  await assert.rejects(cache.upToDate(mailbox, 'inbox'), { code: 'mail_unavailable' })
})

test('a folder that is created again under its name is read again', async () => {
  const host = new Watched()
  const cache = cacheOver(host)
  const mailbox = await mailboxWith(2)
  const before = await cache.upToDate(mailbox, 'inbox')
  await world.db.deleteFrom('mail_folders').where('mailbox_id', '=', mailbox.mailboxId).execute()
  await storeMessages(world, mailbox, [letter()])
  const { index, state } = await cache.upToDate(mailbox, 'inbox')
  assert.equal(index.messages, 1)
  assert.notEqual(state.uidValidity, before.state.uidValidity)
})

test('a folder that is not there leaves nothing in the cache', async () => {
  const mailbox = await mailboxWith(0)
  const cache = cacheOver(new Watched())
  for (let time = 0; time < 2; time++)
    await assert.rejects(cache.upToDate(mailbox, 'Nowhere'), { code: 'invalid_request' })
  assert.deepEqual([cache.bytes, cache.asked], [0, { hit: 0, miss: 2 }])
})
