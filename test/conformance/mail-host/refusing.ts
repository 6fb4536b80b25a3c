import assert from 'node:assert/strict'
import { Refusal } from '#/errors.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { TestIt } from './bench.ts'
import { copy, refusal } from './letters.ts'

const onFolder: readonly [string, (host: MailHost, mailbox: MailboxRef, folder: string) => Promise<unknown>][] = [
  ['list', (host, mailbox, folder) => host.list(mailbox, folder, { limit: 1, page: 0 })],
  ['summaries', (host, mailbox, folder) => host.summaries(mailbox, folder, [1])],
  ['read', (host, mailbox, folder) => host.read(mailbox, folder, 1)],
  ['update', (host, mailbox, folder) => host.update(mailbox, folder, [1], { seen: true })],
  ['move', (host, mailbox, folder) => host.update(mailbox, folder, [1], { folder: 'trash' })],
  ['expunge', (host, mailbox, folder) => host.expunge(mailbox, folder, [1])],
  ['changes', (host, mailbox, folder) => host.changes(mailbox, folder, undefined)],
]

/** Access to what does not exist, or belongs to another organization. */
export function refusesStrangers(testIt: TestIt): void {
  for (const [what, act] of onFolder) {
    testIt(`${what} refuses a folder that is not there`, async ({ host, ada }) => {
      await assert.rejects(act(host, ada, 'Nowhere'), refusal('folder'))
    })
    testIt(`${what} cannot reach into another organization`, async ({ ada, stranger, host, append }) => {
      await append(copy(stranger))
      const disguised = { ...stranger, organizationId: ada.organizationId }
      await assert.rejects(
        act(host, disguised, 'inbox'),
        (error) => error instanceof Refusal && error.code === 'not_found',
      )
      assert.deepEqual((await host.folders(stranger))[0], { name: 'inbox', total: 1, unread: 1 })
      assert.deepEqual(await host.folders(disguised), [])
    })
  }

  testIt('no copy is stored in a mailbox of another organization', async ({ ada, stranger, host, append, uids }) => {
    const disguised = { ...stranger, organizationId: ada.organizationId }
    await assert.rejects(append(copy(ada), copy(disguised)), (error) => error instanceof Refusal)
    assert.deepEqual(await uids('inbox'), [])
    assert.equal((await host.folders(stranger))[0]?.total, 0)
  })
}
