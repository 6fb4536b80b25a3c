import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { mutantsOf } from './mutants.ts'
import { nameOf, survivors } from './survivors.ts'

test('Each survivor that is listed is still a mutant of the source', () => {
  const named = [...survivors.keys()]
  const files = globSync([...new Set(named.map((name) => name.split('\t')[0] ?? ''))])
  const mutants = new Set(files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')).map(nameOf)))
  assert.deepEqual(
    named.filter((name) => !mutants.has(name)),
    [],
  )
})
