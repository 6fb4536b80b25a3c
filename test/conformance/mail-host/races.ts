import assert from 'node:assert/strict'
import { readMessage } from '#/mime/message.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { TestIt, Trial } from './bench.ts'
import { copy, letter } from './letters.ts'

const turns = 16

/** Many concurrent operations on the same folders in every order: different lock orders would soon deadlock,
 *  and lost updates would soon show in the counts. */
export function survivesRaces(testIt: TestIt): void {
  testIt('appends, moves, changes and expunges at once neither wait in a circle nor lose anything', async (trial) => {
    const boxes = [trial.ada, trial.bob, trial.stranger]
    const first = Array.from({ length: 20 }, (_, at) => readMessage(letter({ 'message-id': `<race-${at}@x>` })))
    await trial.append(...boxes.flatMap((mailbox) => first.map((message) => copy(mailbox, { message }))))
    const work = Array.from({ length: turns }, (_, turn) => oneTurn(trial, boxes, turn))
    const expunged = (await Promise.all(work.flat())).filter((result) => Array.isArray(result)).flat().length
    const totals = await Promise.all(boxes.map((mailbox) => assertCounted(trial, mailbox)))
    assert.equal(
      totals.reduce((sum, total) => sum + total, 0),
      60 + turns * 9 - expunged,
    )
  })
}

function oneTurn({ host, append }: Trial, boxes: readonly MailboxRef[], turn: number): Promise<unknown>[] {
  const mailbox = boxes[turn % boxes.length] ?? { organizationId: '', mailboxId: '' }
  const [from, to] = turn % 2 ? ['inbox', 'archive'] : ['archive', 'inbox']
  const [here, there] = [`New ${turn % 4}`, `New ${(turn + 1) % 4}`]
  const some = Array.from({ length: 10 }, (_, index) => ((index + turn) % 20) + 1)
  const originals = { answered: [`<race-${turn}@x>`], forwarded: [`<race-${turn + 1}@x>`] }
  const copies = boxes.flatMap((box) => [here, 'inbox', 'archive'].map((folder) => copy(box, { folder, originals })))
  return [
    append(...(turn % 3 ? copies : copies.toReversed())),
    host.update(mailbox, from, some, { folder: to, flagged: true }),
    host.update(mailbox, 'inbox', some.slice(5), { folder: there }),
    host.update(mailbox, 'inbox', some, { seen: turn % 2 === 0, addKeywords: [`k${turn % 3}`] }),
    host.expunge(mailbox, 'archive', some.slice(8)),
  ]
}

/** Asserts that the folders' counts fit their messages. Answers the number of messages in the mailbox. */
async function assertCounted({ host }: Trial, mailbox: MailboxRef): Promise<number> {
  let count = 0
  for (const { name, total, unread } of await host.folders(mailbox)) {
    const { messages } = await host.list(mailbox, name, { limit: 1_000, page: 0 })
    assert.equal(new Set(messages.map(({ uid }) => uid)).size, total)
    assert.equal(messages.filter(({ seen }) => !seen).length, unread)
    count += total
  }
  return count
}
