import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { letter } from '#test/world/letters/letter.ts'

/** Folders in a directory as `maildir(5)` has them, each with this path. */
export class Maildirs {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** By subject, the flags that stand in the names of the files. */
  async flags(folder = 'INBOX'): Promise<Record<string, string>> {
    const found = await this.#files(folder)
    const flags = [...found].map(([subject, path]) => [subject, basename(path).split(':2,')[1] ?? ''] as const)
    return Object.fromEntries(flags.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** As a mail program marks a message, or moves it to another folder. */
  async mark(subject: string, flags: string, folder = 'INBOX', from = 'INBOX'): Promise<void> {
    const path = (await this.#files(from)).get(subject)
    assert.ok(path, `${subject} is in ${from}`)
    // What programs add to the name is about the folder that the file was in.
    const name = basename(path).split(':2,')[0]?.replace(/,.*/, '')
    const kept = from === folder ? basename(path).split(':2,')[0] : `moved.${name}`
    await rename(path, join(this.#directory, folder, 'cur', `${kept}:2,${flags}`))
  }

  async remove(subject: string, folder = 'INBOX'): Promise<void> {
    await rm((await this.#files(folder)).get(subject) ?? '')
  }

  async write(subject: string, folder = 'INBOX', flags = ''): Promise<void> {
    const path = join(this.#directory, folder, 'cur', `${subject}.here:2,${flags}`)
    await writeFile(path, letter({ Subject: subject }, `About ${subject}\r\n`))
  }

  async make(folder: string): Promise<void> {
    for (const part of ['cur', 'new', 'tmp']) await mkdir(join(this.#directory, folder, part), { recursive: true })
  }

  async #files(folder: string): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const state of ['new', 'cur']) {
      for (const name of await readdir(join(this.#directory, folder, state))) {
        const path = join(this.#directory, folder, state, name)
        const [, subject = ''] = /^Subject: (.*?)\r?$/m.exec(await readFile(path, 'utf8')) ?? []
        assert.ok(!found.has(subject), `${subject} is there once`)
        found.set(subject, path)
      }
    }
    return found
  }
}
