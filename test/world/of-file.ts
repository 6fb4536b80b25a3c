import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** What the file that runs shares among its tests. Several files run in a process, one after the other. */
let stack: AsyncDisposableStack | undefined

/** To be called at the top of a file: in a test it would end with that. */
function shared(): AsyncDisposableStack {
  if (!stack) {
    const made = new AsyncDisposableStack()
    stack = made
    after(async () => {
      stack = undefined
      await made.disposeAsync()
    })
  }
  return stack
}

/** Ends after all tests of the file, before what was made before it. */
export function ofFile<T extends Disposable | AsyncDisposable>(resource: T): T {
  return shared().use(resource)
}

/** Done after all tests of the file. */
export function afterFile(work: () => unknown): void {
  shared().defer(async () => void (await work()))
}

/** A directory for all tests of the file. Its path is short, as that of a socket has to be. */
export function directoryOfFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'mr-'))
  afterFile(() => rm(directory, { recursive: true, force: true }))
  return directory
}
