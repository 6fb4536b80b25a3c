import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of deploy/ with replacements for a test. Each replaced text must occur. */
export async function example(path: string, changes: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(join(import.meta.dirname, '../../deploy', path), 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(text.includes(from), `deploy/${path} has ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}
