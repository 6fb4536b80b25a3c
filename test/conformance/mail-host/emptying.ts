import assert from 'node:assert/strict'
import { readMessage } from '#/mime/message.ts'
import type { TestIt } from './bench.ts'
import { copy, letter } from './letters.ts'

/** All mail of a mailbox, before the mailbox goes. */
export function empties(testIt: TestIt): void {
  testIt('a mailbox is emptied in steps, in all its folders, and other mailboxes keep theirs', async (trial) => {
    const { ada, bob, host, append } = trial
    const message = readMessage(letter({}))
    const shared = [ada, bob].map((mailbox) => copy(mailbox, { message }))
    const many = Array.from({ length: 600 }, () => copy(ada, { keywords: ['k'] }))
    await append(...shared, ...many, copy(ada, { folder: 'Projects/Apollo' }), copy(ada, { folder: 'trash' }))
    // A read waits for mail in the spool for a limited time, which may not suffice on a busy machine.
    for (let there = 0; there < 603; ) there = (await host.folders(ada)).reduce((sum, { total }) => sum + total, 0)
    const before = await host.storageUsed(ada.organizationId)
    const steps = await Array.fromAsync(host.empty(ada))
    assert.equal(steps.at(-1), 603)
    assert.ok(steps.length > 3, String(steps))
    assert.deepEqual(
      steps.toSorted((a, b) => a - b),
      steps,
    )
    for (const { name, total, unread } of await host.folders(ada)) assert.deepEqual([total, unread], [0, 0], name)
    const used = await host.storageOf([ada, bob])
    assert.deepEqual([used.get(ada.mailboxId), used.get(bob.mailboxId)], [0, message.raw.length])
    assert.equal(await host.storageUsed(ada.organizationId), message.raw.length)
    assert.ok(before > message.raw.length)
    assert.equal((await host.list(bob, 'inbox', { limit: 1, page: 0 })).total, 1)
    assert.deepEqual(await Array.fromAsync(host.empty(ada)), [])
  })

  testIt('interrupted emptying continues where it was', async ({ ada, host, append, uids }) => {
    await append(...Array.from({ length: 600 }, () => copy(ada)))
    for await (const gone of host.empty(ada)) {
      assert.ok(gone < 600)
      break
    }
    const { total } = await host.list(ada, 'inbox', { limit: 1, page: 0 })
    assert.ok(total > 0 && total < 600)
    const steps = await Array.fromAsync(host.empty(ada))
    assert.equal(steps.at(-1), total)
    assert.deepEqual(await uids('inbox'), [])
  })

  testIt('emptying cannot reach into another organization', async ({ ada, stranger, host, append }) => {
    await append(copy(stranger))
    assert.deepEqual(await Array.fromAsync(host.empty({ ...stranger, organizationId: ada.organizationId })), [])
    assert.equal((await host.list(stranger, 'inbox', { limit: 1, page: 0 })).total, 1)
  })
}
