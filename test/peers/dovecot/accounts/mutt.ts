import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whose mail mutt reads, and where. */
export interface Reader {
  readonly port: number
  readonly login: string
  readonly password: string
  /** Of the server: mutt knows it by this file alone. */
  readonly certificate: string
}

/** A message as mutt has read it. */
export interface Seen {
  readonly read: boolean
  readonly flagged: boolean
  readonly text: string
}

/** Debian's mutt, in a terminal of its own, over STARTTLS on a server at 127.0.0.1. */
export class Mutt implements AsyncDisposable {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async of({ port, login, password, certificate }: Reader): Promise<Mutt> {
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-mutt-'))
    const settings = `
set folder="imap://127.0.0.1:${port}/"
set spoolfile="imap://127.0.0.1:${port}/INBOX"
set imap_user="${login}"
set imap_pass="${password}"
set ssl_force_tls=yes
set certificate_file="${certificate}"
set ssl_verify_host=no
set mbox_type=mbox
set confirmappend=no
set confirmcreate=no
set delete=yes
set move=no
set mark_old=no
`
    await writeFile(join(directory, 'settings'), settings)
    return new Mutt(directory)
  }

  /** What copies the messages that are tagged to where `seen` finds them. */
  get copy(): string {
    return `<copy-message>${join(this.#directory, 'seen')}<enter>`
  }

  /** Starts mutt in INBOX, and presses these keys, as its `push` has them. They must make it end. */
  async press(...keys: readonly string[]): Promise<void> {
    const rc = join(this.#directory, 'muttrc')
    const pushed = keys.join('').replaceAll('"', '\\"')
    await writeFile(rc, `source ${join(this.#directory, 'settings')}\npush "${pushed}"\n`)
    const env = { PATH: process.env.PATH, HOME: this.#directory, TERM: 'vt100', LC_ALL: 'C.UTF-8' }
    // Where its input ended, `script` would press ^D.
    const child = spawn('/usr/bin/script', ['-qec', `mutt -n -F ${rc}`, '/dev/null'], {
      env,
      stdio: 'pipe',
      timeout: 60_000,
    })
    let screen = ''
    child.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString()
    })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`mutt ended with ${code}:\n${screen.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, ' ')}`)
  }

  /** What was copied, by subject. */
  async seen(): Promise<Map<string, Seen>> {
    const copied = await readFile(join(this.#directory, 'seen'), 'utf8')
    const messages = copied.split(/^From .*\n/m).slice(1)
    const field = (text: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
    return new Map(
      messages.map((text) => [
        field(text, 'Subject'),
        { read: field(text, 'Status').includes('R'), flagged: field(text, 'X-Status').includes('F'), text },
      ]),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true })
  }
}
