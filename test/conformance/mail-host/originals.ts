import assert from 'node:assert/strict'
import { readMessage } from '#/mime/message.ts'
import type { Copy, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import type { TestIt } from './bench.ts'
import { copy, letter } from './letters.ts'

/** A copy of the message that has this Message-ID. */
function named(id: string, mailbox: MailboxRef, change: Partial<Copy> = {}): Copy {
  return copy(mailbox, { ...change, message: readMessage(letter({ 'message-id': id })) })
}

/** A copy in Sent. */
export function sentAbout(mailbox: MailboxRef, answered: readonly string[], forwarded: readonly string[] = []): Copy {
  return copy(mailbox, { folder: 'sent', seen: true, originals: { answered, forwarded } })
}

/** The marks of the messages of a folder, by uid, and their keywords. */
async function marksIn(host: MailHost, mailbox: MailboxRef, folder: string): Promise<string[]> {
  const found = await host.summaries(mailbox, folder, [1, 2, 3, 4, 5])
  return found.map(({ answered, forwarded, keywords }) =>
    [answered && 'answered', forwarded && 'forwarded', ...keywords].filter((mark) => mark !== false).join(' '),
  )
}

/** Marks of messages that others answer or forward. */
export function marksOriginals(testIt: TestIt): void {
  testIt('what a copy answers or forwards is marked in all folders of its mailbox, and nowhere else', async (trial) => {
    const { ada, bob, stranger, host, append } = trial
    await append(
      ...['<1@x>', '<2@x>', '<3@x>', '<4@x>'].map((id) => named(id, ada, { keywords: ['work'] })),
      ...['archive', 'Projects/A', 'sent'].map((folder) => named('<1@x>', ada, { folder })),
      ...[bob, stranger].map((mailbox) => named('<1@x>', mailbox)),
    )
    const before = await host.folders(ada)
    await append(sentAbout(ada, ['<1@x>', '<3@x>', '<nowhere@x>'], ['<2@x>', '<3@x>']))
    assert.deepEqual(await marksIn(host, ada, 'inbox'), [
      'answered work',
      'forwarded work',
      'answered forwarded work',
      'work',
    ])
    for (const folder of ['archive', 'Projects/A']) assert.deepEqual(await marksIn(host, ada, folder), ['answered'])
    assert.deepEqual(await marksIn(host, ada, 'sent'), ['answered', ''])
    for (const mailbox of [bob, stranger]) assert.deepEqual(await marksIn(host, mailbox, 'inbox'), [''])
    const counted = before.map((one) => (one.name === 'sent' ? { ...one, total: one.total + 1 } : one))
    assert.deepEqual(await host.folders(ada), counted)
    assert.deepEqual(await host.keywordTotals([ada]), [{ keyword: 'work', total: 4, unread: 4 }])
  })

  testIt('a marked message keeps its marks as it is changed and moved', async ({ ada, host, append }) => {
    await append(named('<1@x>', ada))
    await append(sentAbout(ada, [], ['<1@x>']), sentAbout(ada, ['<1@x>']), sentAbout(ada, ['<1@x>']))
    await host.update(ada, 'inbox', [1], { seen: true, addKeywords: ['work'] })
    await host.update(ada, 'inbox', [1], { folder: 'archive', removeKeywords: ['work'] })
    assert.deepEqual(await marksIn(host, ada, 'archive'), ['answered forwarded'])
    assert.deepEqual((await host.read(ada, 'archive', 1))?.summary.answered, true)
  })

  testIt('what was deleted meanwhile is not marked, and the copy is stored', async ({ ada, host, append, uids }) => {
    await append(named('<1@x>', ada), named('<2@x>', ada))
    await host.expunge(ada, 'inbox', [1])
    await append(sentAbout(ada, ['<1@x>'], ['<gone@x>']))
    assert.deepEqual(await marksIn(host, ada, 'inbox'), [''])
    assert.deepEqual(await uids('sent'), [1])
  })
}
