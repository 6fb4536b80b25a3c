import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { samples } from '#test/mail/reports/samples.ts'
import { World } from '#test/world/world.ts'
import { compareSearches } from './corpus.ts'

const corpus = join(import.meta.dirname, '../corpus')
const queries = 300

const world = await World.ofFile()

test('messages as programs of all kinds write them are found by the words that a plain reading finds in them', async () => {
  const files = globSync('*.eml', { cwd: corpus }).sort()
  const messages = [...files.map((name) => readFileSync(join(corpus, name))), ...samples.map(({ raw }) => raw)]
  const compared = await compareSearches(world, messages, queries)
  assert.deepEqual(compared.differing, [])
  assert.ok(compared.messages > 50 && compared.finding > (2 / 3) * queries, JSON.stringify(compared))
})
