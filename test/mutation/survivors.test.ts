import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutantsOf } from './mutants.ts'
import { nameOf, survivors } from './survivors.ts'

const root = join(import.meta.dirname, '../..')

test('Each survivor that is listed is still a mutant of the source', () => {
  const files = [...new Set(survivors.map(({ file }) => file))].filter((file) => existsSync(join(root, file)))
  const mutants = new Set(files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')).map(nameOf)))
  assert.deepEqual(
    survivors.map(nameOf).filter((name) => !mutants.has(name)),
    [],
  )
})
