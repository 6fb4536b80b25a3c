import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAhead } from './one-ahead.ts'

async function taken(wanted: number, numbers: readonly number[]): Promise<string[]> {
  const said: string[] = []
  const work = async (number: number) => {
    said.push(`makes ${number}`)
    if (number === 13) throw new Error('unlucky')
    return number
  }
  try {
    for await (const number of oneAhead(numbers, work)) {
      said.push(`uses ${number}`)
      if (number === wanted) break
    }
  } catch (error) {
    said.push((error as Error).message)
  }
  return said
}

for (const [what, wanted, numbers, expected] of [
  ['the next is made while one is used', 0, [1, 2, 3], ['makes 1', 'makes 2', 'uses 1', 'makes 3', 'uses 2', 'uses 3']],
  ['no more is made than one for who stops', 1, [1, 2, 3], ['makes 1', 'makes 2', 'uses 1']],
  ['a failure comes in its turn', 0, [1, 13, 2], ['makes 1', 'makes 13', 'uses 1', 'makes 2', 'unlucky']],
  ['a failure that nobody waits for is none', 1, [1, 13], ['makes 1', 'makes 13', 'uses 1']],
  ['of one', 0, [1], ['makes 1', 'uses 1']],
  ['of nothing', 0, [], []],
] as const)
  test(`work ahead: ${what}`, async () => assert.deepEqual(await taken(wanted, numbers), expected))
