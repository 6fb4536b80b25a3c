import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { hashOf } from './hash.ts'

const directory = directoryOfFile()
const content = { 'a.ts': 'one', 'b/c.ts': 'two' }

/** The hash of these files, as they are written. */
async function hashed(files: Readonly<Record<string, string>>): Promise<string> {
  await rm(join(directory, 'files'), { recursive: true, force: true })
  await mkdir(join(directory, 'files/b'), { recursive: true })
  for (const [file, text] of Object.entries(files)) await writeFile(join(directory, 'files', file), text)
  return hashOf(join(directory, 'files'), Object.keys(content))
}

for (const [what, files, isSame] of [
  ['the same for the same files', content, true],
  ['the same if a file changes that is not among them', { ...content, 'd.ts': 'three' }, true],
  ['another one if a file changes', { ...content, 'b/c.ts': 'TWO' }, false],
  ['another one if text moves to the next file', { 'a.ts': 'onet', 'b/c.ts': 'wo' }, false],
  ['another one if a file is gone', { 'a.ts': 'one' }, false],
] as const)
  test(`the hash of sources is ${what}`, async () => {
    assert.equal((await hashed(files)) === (await hashed(content)), isSame)
  })
