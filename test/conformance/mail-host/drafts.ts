import assert from 'node:assert/strict'
import { readMessage } from '#/mime/message.ts'
import type { TestIt } from './bench.ts'
import { letter, rawOf, second } from './letters.ts'

const id = '<draft.01@example.test>'

function draft(text: string, replaces: readonly number[] = [], at = 1) {
  return { message: readMessage(letter({ 'message-id': id }, text)), savedAt: second(at), replaces }
}

/** Drafts are saved in place of one another. */
export function savesDrafts(testIt: TestIt): void {
  testIt('a draft is in its folder, read, and recorded under its uid', async ({ ada, host }) => {
    const recorded: number[] = []
    const record = async (_: unknown, uid: number) => void recorded.push(uid)
    const uid = (await host.saveDraft(ada, { ...draft('One'), record })) ?? 0
    const stored = await host.read(ada, 'drafts', uid)
    assert.match(String(await rawOf(stored)), /One/)
    assert.deepEqual([stored?.summary.seen, stored?.summary.folder], [true, 'drafts'])
    assert.deepEqual(recorded, [uid])
  })

  testIt('an edited draft replaces the one before', async ({ ada, host, uids }) => {
    const first = (await host.saveDraft(ada, draft('One'))) ?? 0
    const second = (await host.saveDraft(ada, draft('Two', [first], 2))) ?? 0
    assert.ok(second > first)
    assert.deepEqual(await uids('drafts'), [second])
    assert.match(String(await rawOf(await host.read(ada, 'drafts', second))), /Two/)
  })

  testIt('a deleted draft is not replaced', async ({ ada, host, uids }) => {
    const first = (await host.saveDraft(ada, draft('One'))) ?? 0
    const second = (await host.saveDraft(ada, draft('Two', [first], 2))) ?? 0
    const record = () => assert.fail('recorded')
    assert.equal(await host.saveDraft(ada, { ...draft('Three', [first], 3), record }), undefined)
    assert.deepEqual(await uids('drafts'), [second])
  })

  testIt('of concurrent edits one replaces the draft, and its text stays', async ({ ada, host, uids }) => {
    const first = (await host.saveDraft(ada, draft('One'))) ?? 0
    const edits = await Promise.all(['A', 'B', 'C', 'D'].map((text) => host.saveDraft(ada, draft(text, [first], 2))))
    const won = edits.filter((uid) => uid !== undefined)
    assert.equal(won.length, 1)
    assert.deepEqual(await uids('drafts'), won)
  })
}
