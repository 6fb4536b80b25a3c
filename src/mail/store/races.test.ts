// On both databases: connections change the same folders at once.
import assert from 'node:assert/strict'
import { readMessage } from '#/formats/mime/read-message.ts'
import { copy, letter } from '#test/world/letters/letters.ts'
import { type Trial, trials } from '#test/world/mail/trial.ts'
import { expungeMessages } from './expunge.ts'
import { folderStatuses } from './folders.ts'
import { listMessages } from './list.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import { updateMessages } from './update.ts'

const turns = 16

const testIt = await trials()

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

function oneTurn({ db, append }: Trial, boxes: readonly MailboxRef[], turn: number): Promise<unknown>[] {
  const mailbox = boxes[turn % boxes.length] ?? { organizationId: '', mailboxId: '' }
  const [from, to] = turn % 2 ? ['inbox', 'archive'] : ['archive', 'inbox']
  const [here, there] = [`New ${turn % 4}`, `New ${(turn + 1) % 4}`]
  const some = Array.from({ length: 10 }, (_, index) => ((index + turn) % 20) + 1)
  const originals = { answered: [`<race-${turn}@x>`], forwarded: [`<race-${turn + 1}@x>`] }
  const copies = boxes.flatMap((box) => [here, 'inbox', 'archive'].map((folder) => copy(box, { folder, originals })))
  return [
    append(...(turn % 3 ? copies : copies.toReversed())),
    updateMessages(db, mailbox, from, some, { folder: to, flagged: true }),
    updateMessages(db, mailbox, 'inbox', some.slice(5), { folder: there }),
    updateMessages(db, mailbox, 'inbox', some, { seen: turn % 2 === 0, addKeywords: [`k${turn % 3}`] }),
    expungeMessages(db, mailbox, 'archive', some.slice(8)),
  ]
}

/** Asserts that the folders' counts fit their messages. Answers the number of messages in the mailbox. */
async function assertCounted({ db }: Trial, mailbox: MailboxRef): Promise<number> {
  let count = 0
  for (const { name, total, unread } of await folderStatuses(db, mailbox)) {
    const { messages } = await listMessages(db, mailbox, name, { limit: 1_000, page: 0 })
    assert.equal(new Set(messages.map(({ uid }) => uid)).size, total)
    assert.equal(messages.filter(({ seen }) => !seen).length, unread)
    count += total
  }
  return count
}
