import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FolderTexts, KnownTexts } from './known-texts.ts'

const text = 'x'.repeat(850)

/** Which of these messages' envelopes are known. */
function known(texts: FolderTexts, ...uids: number[]): number[] {
  return uids.filter((uid) => texts.find(uid, 'ENVELOPE') !== undefined)
}

test('the texts that were used last are kept, as many as fit', async () => {
  const texts = new FolderTexts(new KnownTexts(3_000), 7, false)
  for (const uid of [1, 2, 3]) await texts.findOr(uid, 'ENVELOPE', async () => text)
  assert.deepEqual(known(texts, 2, 3, 1), [2, 3, 1])
  await texts.findOr(4, 'ENVELOPE', async () => text)
  assert.deepEqual(known(texts, 1, 2, 3, 4), [1, 3, 4])
})

test('a text is made once for all who are told it, and for others as they are told it', async () => {
  const [all, made] = [new KnownTexts(), [] as string[]]
  const asked = [
    [1, false, 1, 'BODY'],
    [1, true, 1, 'BODY'],
    [1, false, 2, 'BODY'],
    [2, false, 1, 'BODY'],
    [1, false, 1, 'ENVELOPE'],
  ] as const
  for (const one of [...asked, ...asked]) {
    const [folderId, knowsGlobal, uid, item] = one
    const make = async () => {
      made.push(one.join(' '))
      return one.join(' ')
    }
    assert.equal(await new FolderTexts(all, folderId, knowsGlobal).findOr(uid, item, make), one.join(' '))
  }
  assert.equal(made.length, asked.length)
})

test('a long text is not kept', async () => {
  const texts = new FolderTexts(new KnownTexts(), 7, false)
  await texts.findOr(1, 'ENVELOPE', async () => 'x'.repeat(20_000))
  assert.deepEqual(known(texts, 1), [])
})
