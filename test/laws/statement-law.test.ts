import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../src')

/** From the builder's first word to what executes it, or to the end of the function. */
const built = /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\((?:(?!\.execute|\n\n|\n\}).)*/gs

test('a statement is the builder’s or the tag’s: no SQL stands within a chain of the builder', () => {
  const mixed = globSync('**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) =>
    (readFileSync(join(root, file), 'utf8').match(built) ?? []).flatMap((chain) =>
      /\bsql(?:<[^`]*>)?`/.test(chain) ? [`${file}: ${chain}`] : [],
    ),
  )
  assert.deepEqual(mixed, [])
})
