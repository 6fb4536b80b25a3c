import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of deploy/ as it stands, but for what is elsewhere in a test: each text on the left must be in it. */
export async function example(path: string, changes: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(join(import.meta.dirname, '../../deploy', path), 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(text.includes(from), `deploy/${path} has ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}
