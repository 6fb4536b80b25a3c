import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { shuffledBy } from './shuffle.ts'
import { peerFiles, testFiles } from './test-files.ts'

const embedded = testFiles({ on: 'embedded' }).flat()
const onServer = new Set(testFiles({ on: 'server' }).flat())
const differing = testFiles({ on: 'differing' }).flat()

test('what runs where it may differ runs where all does', () => {
  assert.deepEqual(
    differing.filter((file) => !onServer.has(file)),
    [],
  )
  assert.ok(differing.length > 0 && differing.length < onServer.size && onServer.size < embedded.length)
})

test('what asks whether it has a server says on which databases it runs, so that no such test runs nowhere', () => {
  const all = [...new Set([...embedded, ...onServer])].map((file) => ({ file, text: readFileSync(file, 'utf8') }))
  const asking = all.filter(({ text }) => text.includes(['TEST', 'DATABASE', 'URL'].join('_')))
  const silent = asking.filter(({ text }) => !/^\/\/ On (?:a server|both databases|one database): /m.test(text))
  assert.ok(asking.length > 0)
  assert.deepEqual(silent, [])
})

test('a shuffled run has the same files, in other groups', () => {
  for (const groups of [testFiles, ({ mix }: { mix?: ReturnType<typeof shuffledBy> }) => peerFiles(mix)] as const) {
    const [usual, shuffled] = [groups({ on: 'embedded' }), groups({ on: 'embedded', mix: shuffledBy('1') })]
    assert.notDeepEqual(shuffled, usual)
    assert.deepEqual(shuffled.flat().toSorted(), usual.flat().toSorted())
  }
})
