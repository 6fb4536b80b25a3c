import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The files below a directory that have the text in them anywhere, or in their name. */
export async function filesWith(directory: string, text: string): Promise<string[]> {
  const within = await run('grep', ['-rail', text, directory]).catch(({ code, stdout }) => {
    assert.equal(code, 1)
    return { stdout }
  })
  const { stdout: named } = await run('find', [directory, '-iname', `*${text}*`])
  return `${within.stdout}${named}`.split('\n').filter((line) => line !== '')
}
