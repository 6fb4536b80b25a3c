import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

const imap = '/usr/lib/dovecot/imap'

/** `nobody` on Debian. Dovecot opens no mail as root. */
const nobody = 65_534

/** Messages that one APPEND takes. */
const batch = 500

type ImapProcess = ChildProcessByStdio<Writable, Readable, null>

/** A session of a real Dovecot, logged in, over a pipe: its IMAP process alone, without a server around it. Mail is in a
 *  directory of its own and gone at the end. */
export class DovecotProcess implements AsyncDisposable {
  readonly #process: ImapProcess
  readonly #directory: string
  readonly #lines: AsyncIterator<string>
  #tags = 0

  private constructor(process: ImapProcess, directory: string) {
    this.#process = process
    this.#directory = directory
    this.#lines = linesOf(process.stdout)
  }

  static async start(): Promise<DovecotProcess> {
    if (!existsSync(imap)) throw new Error(`There is no Dovecot at ${imap}: apt-get install dovecot-imapd`)
    const root = process.getuid?.() === 0
    const { uid, gid } = root ? { uid: nobody, gid: nobody } : userInfo()
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-dovecot-'))
    const configuration = join(directory, 'dovecot.conf')
    await mkdir(join(directory, 'run'))
    await writeFile(configuration, settings(directory, uid, gid))
    if (root) for (const path of [directory, join(directory, 'run')]) await chown(path, nobody, nobody)
    const child = spawn(imap, ['-c', configuration], {
      ...(root && { uid, gid }),
      cwd: directory,
      env: { USER: 'ada', HOME: directory },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const session = new DovecotProcess(child, directory)
    const greeting = await session.#line()
    if (!greeting.startsWith('* PREAUTH')) throw new Error(`Dovecot greets with ${greeting}`)
    return session
  }

  /** The conversations of a folder made of these messages, as `UID THREAD REFS` tells them; uids count from 1. */
  async conversations(folder: string, messages: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<number[][]> {
    await this.#say(`CREATE ${folder}`)
    const waiting: Buffer[] = []
    for await (const message of messages) {
      waiting.push(message)
      if (waiting.length === batch) await this.#append(folder, waiting.splice(0))
    }
    if (waiting.length > 0) await this.#append(folder, waiting)
    await this.#say(`SELECT ${folder}`)
    const threads = (await this.#say('UID THREAD REFS UTF-8 ALL')).filter((line) => line.startsWith('* THREAD'))
    await this.#say('UNSELECT')
    await this.#say(`DELETE ${folder}`)
    return threads.flatMap(topLevel)
  }

  /** RFC 3502. */
  async #append(folder: string, messages: readonly Buffer[]): Promise<void> {
    const literals = messages.flatMap((message) => [Buffer.from(` {${message.length}+}\r\n`), message])
    await this.#say(Buffer.concat([Buffer.from(`APPEND ${folder}`), ...literals]))
  }

  /** Everything that comes before the command is done. */
  async #say(command: string | Buffer): Promise<string[]> {
    const tag = `t${++this.#tags}`
    const octets = Buffer.concat([Buffer.from(`${tag} `), Buffer.from(command), Buffer.from('\r\n')])
    if (!this.#process.stdin.write(octets)) await once(this.#process.stdin, 'drain')
    const said: string[] = []
    for (;;) {
      const line = await this.#line()
      if (line.startsWith(`${tag} OK`)) return said
      if (line.startsWith(`${tag} `)) throw new Error(`Dovecot answers ${line} to ${octets.toString('latin1', 0, 200)}`)
      said.push(line)
    }
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('Dovecot has gone')
    return value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.stdin.end()
    await ended
    await rm(this.#directory, { recursive: true, force: true })
  }
}

function settings(directory: string, uid: number, gid: number): string {
  return `
    base_dir = ${directory}/run
    state_dir = ${directory}/run
    log_path = /dev/stderr
    mail_location = mdbox:${directory}/mail
    mail_uid = ${uid}
    mail_gid = ${gid}
    first_valid_uid = 1
    mail_fsync = never
    protocols = imap
    ssl = no
  `
}

async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let rest: string[] = []
  for await (const chunk of stream) {
    const [first = '', ...others] = chunk.toString('latin1').split('\r\n')
    rest.push(first)
    for (const line of others) {
      yield rest.join('')
      rest = [line]
    }
  }
}

/** RFC 5256, section 4: `* THREAD (3 6 (4 23)(44 7 96))((5)(8))` is two conversations. */
function topLevel(line: string): number[][] {
  const conversations: number[][] = []
  let depth = 0
  for (const [token] of line.matchAll(/[()]|\d+/g)) {
    if (token === '(' && depth++ === 0) conversations.push([])
    else if (token === ')') depth--
    else if (token !== '(') conversations.at(-1)?.push(Number(token))
  }
  return conversations
}
