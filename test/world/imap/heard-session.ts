import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { ManualClock } from '#/base/clock/manual.ts'
import type { Database } from '#/base/db/open.ts'
import { MessageReader } from '#/formats/mime/reader.ts'
import { Bad, Bye, type Completed, No } from '#/imap/answers.ts'
import { FolderNews } from '#/imap/selected/folder-news.ts'
import type { OpenFolder } from '#/imap/selected/open-folder.ts'
import { tell } from '#/imap/selected/tell.ts'
import type { Extension, Handler, ImapDependencies, Session, User } from '#/imap/session/session.ts'
import type { Octets } from '#/imap/wire/arguments.ts'
import type { Output } from '#/imap/wire/output.ts'
import { Parser } from '#/imap/wire/parser.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { indexesOn } from '#test/mail/threads/indexes.ts'
import { idKey } from '#test/world/mail/mailboxes.ts'

const log = pino({ level: 'silent' })

/** What a server knows of all sessions. */
export function partsOn(
  database: Database,
  { clock = new ManualClock('2026-11-21T12:00:00Z') }: Partial<ImapDependencies> = {},
): ImapDependencies & AsyncDisposable {
  const parts = new AsyncDisposableStack()
  const reader = parts.use(new MessageReader())
  const news = parts.use(new FolderNews(database, log))
  return {
    ...{ db: database.db, reader, idKey, clock, log, news },
    ...indexesOn(database.db, idKey),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** A command of another room, as far as it matters here. */
const nothing: Handler = async () => ({ text: 'Completed' })

/** In them sequence numbers must not change (RFC 9051, section 7.5.1). */
const bySequence = new Set(['FETCH', 'STORE', 'SEARCH', 'SORT', 'THREAD'])

/** A session without a connection, which carries commands out as a server does and keeps what it says. */
export class HeardSession implements Session, Disposable {
  readonly parts: ImapDependencies
  readonly user: User
  readonly enabled = new Set<Extension>()
  readonly #commands: Readonly<Record<string, Handler>>
  readonly #ending = new AbortController()
  selected: OpenFolder | undefined
  /** Folders that may be remembered for it. */
  room = Number.POSITIVE_INFINITY
  /** Called with each piece as it is written. */
  heard: ((piece: string) => void) | undefined
  readonly #heard: string[] = []
  readonly #waiting = new Set<() => void>()
  #said: ((line: string) => void) | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(parts: ImapDependencies, mailbox: MailboxRef, commands: Readonly<Record<string, Handler>>) {
    this.parts = parts
    this.user = {
      mailbox,
      address: 'ada@example.test',
      isPrivate: false,
      by: { kind: 'mail_program', id: null, name: '' },
    }
    this.#commands = commands
  }

  readonly output: Output = {
    write: (piece) => {
      this.#heard.push(piece.toString())
      this.heard?.(piece.toString())
      for (const wake of this.#waiting) wake()
      return undefined
    },
  }

  readonly signal = this.#ending.signal

  enable(extension: Extension): void {
    this.enabled.add(extension)
    if (extension === 'QRESYNC') this.enabled.add('CONDSTORE')
  }

  select(selected: OpenFolder | undefined): void {
    this.selected = selected
  }

  needSelected(): OpenFolder {
    if (!this.selected) throw new Bad('No mailbox is selected')
    return this.selected
  }

  ask(prompt: string): Promise<string> {
    this.output.write(`+ ${prompt}\r\n`)
    return new Promise((resolve) => {
      this.#said = resolve
    })
  }

  /** The line that `ask` waits for. */
  say(line: string): void {
    this.#said?.(line)
  }

  atWork<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  turn(): Promise<void> {
    return nextTurn()
  }

  async reserve(_octets: number): Promise<Disposable> {
    return { [Symbol.dispose]: () => {} }
  }

  async remember(folders: number): Promise<Disposable | undefined> {
    if (folders > this.room) return undefined
    this.room -= folders
    const back = () => {
      this.room += folders
    }
    return { [Symbol.dispose]: back }
  }

  end({ message }: Bye): void {
    this.output.write(`* BYE ${message}\r\n`)
  }

  async betweenCommands(work: () => Promise<void>): Promise<void> {
    await this.#inTurn(work)
  }

  /** Carries a command out, as `SELECT INBOX`, and answers the lines that it was told; the last is the tagged one without its tag.
   *  A literal is its text in braces, with `~` before a literal8. */
  async run(line: string): Promise<string[]> {
    const literals: Octets[] = []
    const text = line.replace(/(~?)\{([^}]*)\}/gs, (_, mark: string, octets: string) => {
      literals.push({ bytes: Buffer.from(octets), isBinary: mark !== '' })
      return '\0'
    })
    const [, name = ''] = /^((?:UID )?[A-Z]+)/.exec(text) ?? []
    const args = new Parser({ text: Buffer.from(text).toString('latin1'), literals }, true, name.length)
    await this.#inTurn(async () => {
      this.output.write(
        `${await this.#answer(name, this.#commands[name] ?? (bySequence.has(name) ? nothing : undefined), args)}\r\n`,
      )
    })
    return this.lines()
  }

  async #answer(name: string, handler: Handler | undefined, args: Parser): Promise<string> {
    try {
      if (!handler) throw new Bad('No such command')
      const { text, code }: Completed = await handler(this, { tag: 'a', name, args })
      await tell(this, { mayExpunge: !bySequence.has(name) })
      return `OK ${code === undefined ? '' : `[${code}] `}${text}`
    } catch (error) {
      if (error instanceof Bad) return `BAD ${error.message}`
      if (error instanceof No) await tell(this, { mayExpunge: !bySequence.has(name) })
      if (error instanceof No) return `NO ${error.code === undefined ? '' : `[${error.code}] `}${error.message}`
      if (error instanceof Bye) return `* BYE ${error.message}`
      throw error
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#running.then(work)
    this.#running = done.catch(() => {})
    return done
  }

  /** The lines that were told since the last time. */
  lines(): string[] {
    return this.#heard.splice(0).join('').split('\r\n').slice(0, -1)
  }

  /** Waits until what was not taken matches, and takes all. */
  until(pattern: RegExp): Promise<string[]> {
    return this.#when(() => pattern.test(this.#heard.join('')))
  }

  /** Waits for such a line, and takes all. */
  untilLine(isIt: (line: string) => boolean): Promise<string[]> {
    return this.#when(() => this.#heard.join('').split('\r\n').some(isIt))
  }

  async #when(isThere: () => boolean): Promise<string[]> {
    while (!isThere()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      await promise
      this.#waiting.delete(resolve)
    }
    return this.lines()
  }

  [Symbol.dispose](): void {
    this.#ending.abort()
  }
}
