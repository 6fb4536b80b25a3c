import { pino } from 'pino'
import { ManualClock } from '#/adapters/clock/manual.ts'
import type { Database } from '#/db/open.ts'
import { No } from '#/imap/answers.ts'
import { SequenceMap } from '#/imap/selected/sequence-map.ts'
import type { Extension, Handler, Session } from '#/imap/session/session.ts'
import { Parser } from '#/imap/wire/parser.ts'
import type { NumberRange } from '#/imap/wire/sequence-set.ts'
import { findFolder } from '#/mail/folders.ts'
import { SearchIndexer } from '#/mail/search/indexer.ts'
import { sqlMailHost } from '#/mail/sql-mail-host.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { readMessage } from '#/mime/message.ts'
import { MessageReader } from '#/mime/reader.ts'
import type { Copy, MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { ThreadCache } from '#/threads/cache.ts'
import { MailboxIndexes } from '#/threads/mailbox/mailbox-indexes.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { testDatabase } from '#test/world/database/database.ts'

const key = idHashKey('a secret')

/** Whether the given marks are set, and when a message was received. */
export type Marks = Partial<Omit<Copy, 'mailbox' | 'message'>>

/** The inbox of a mailbox of its own, for commands that read it, without a connection. */
export class SelectedFolder implements AsyncDisposable {
  readonly clock = new ManualClock(new Date(Date.UTC(2026, 10, 21, 12)))
  readonly mailbox: MailboxRef
  readonly host: MailHost
  readonly reader = new MessageReader()
  readonly enabled = new Set<Extension>()
  readonly ended = new AbortController()
  savedSearch: readonly NumberRange[] = []
  written = ''
  readonly #database: Database
  readonly #threads: ThreadCache
  #known: SequenceMap | undefined

  private constructor(database: Database, host: MailHost, mailbox: MailboxRef) {
    this.#database = database
    this.host = host
    this.mailbox = mailbox
    this.#threads = new ThreadCache({ mailHost: host, key, maxBytes: 1 << 24 })
  }

  static async open(): Promise<SelectedFolder> {
    const database = await testDatabase()
    const host = sqlMailHost(database.db, key)
    return new SelectedFolder(database, host, await newMailbox(database.db, host, await newDomain(database.db), 'ada'))
  }

  get db() {
    return this.#database.db
  }

  /** Messages in this order, from uid 1 on, as they were sent; each with a modification sequence of its own, from 2 on. */
  async store(messages: readonly (readonly [raw: string, marks?: Marks])[]): Promise<void> {
    const copies = messages.map(([raw, marks = {}]) => ({
      ...{ mailbox: this.mailbox, folder: 'inbox', message: readMessage(Buffer.from(raw, 'latin1')) },
      ...{ receivedAt: new Date(this.clock.now()), seen: false, flagged: false, keywords: [], filteredBy: [] },
      ...marks,
    }))
    for (const copy of copies) await this.db.transaction().execute((tx) => this.host.append(tx, [copy]))
    this.#known = undefined
  }

  /** Has the index of words know all messages. */
  async index(): Promise<void> {
    await new SearchIndexer({ db: this.db, reader: this.reader, log: pino({ level: 'silent' }) }).processAll()
  }

  /** What a client is told that sends a command, `UID SEARCH ALL`, without the tagged response. */
  async says(handlers: Readonly<Record<string, Handler>>, command: string): Promise<string> {
    const [, name = ''] = /^((?:UID )?[A-Z]+)/.exec(command) ?? []
    const handler = handlers[name]
    if (!handler) throw new Error(`there is no command ${name}`)
    const text = Buffer.from(command.slice(name.length)).toString('latin1')
    this.written = ''
    const args = new Parser({ text, literals: [] }, false)
    await handler(await this.session(), { tag: 'a1', name, args })
    return this.written
  }

  async session(): Promise<Session> {
    const { id: folderId, modseq } = await findFolder(this.db, this.mailbox, 'inbox')
    this.#known ??= new SequenceMap(await this.host.uidsAfter(this.mailbox, 'inbox', 0, 1_000_000))
    const folder = this
    const selected = {
      ...{ mailbox: this.mailbox, name: 'INBOX', folder: 'inbox', folderId, isReadOnly: false, messages: this.#known },
      ...{ modseq, knows: () => {} },
      get savedSearch() {
        return folder.savedSearch
      },
      set savedSearch(ranges) {
        folder.savedSearch = ranges
      },
    }
    const threads = this.#threads
    return {
      parts: {
        ...{ db: this.db, mailHost: this.host, reader: this.reader, idKey: key, clock: this.clock, threads },
        mailboxIndexes: new MailboxIndexes({ mailHost: this.host, threads }),
      },
      output: {
        write: (piece: string | Buffer) => {
          this.written += piece.toString()
          return undefined
        },
      },
      enabled: this.enabled,
      enable: (extension: Extension) => this.enabled.add(extension),
      selected,
      needSelected: () => selected,
      signal: this.ended.signal,
      // What else a session has is for others' commands.
    } as unknown as Session
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reader[Symbol.asyncDispose]()
    await this.#database[Symbol.asyncDispose]()
  }
}

/** For `assert.rejects`: a NO with this code. */
export function noWith(code: string): (error: unknown) => boolean {
  return (error) => error instanceof No && error.code === code
}
