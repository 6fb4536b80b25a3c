import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { FolderNews } from '#/imap/selected/folder-news.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { ThreadCache } from '#/mail/threads/cache.ts'
import type { MailboxIndexes } from '#/mail/threads/mailbox-indexes.ts'
import type { Bye, Completed } from '../answers.ts'
import type { OpenFolder } from '../selected/open-folder.ts'
import type { Command } from '../wire/arguments.ts'
import type { Output } from '../wire/output.ts'

/** What all sessions share. */
export interface ImapDependencies {
  readonly db: Db
  readonly reader: MessageReader
  readonly idKey: IdHashKey
  /** The conversations of folders, for THREAD. */
  readonly threads: ThreadCache
  /** Those of mailboxes, whose ids THREADID names. */
  readonly mailboxIndexes: MailboxIndexes
  readonly clock: Clock
  readonly log: Logger
  /** Wakes sessions whose selected folder has changed. */
  readonly news: FolderNews
}

export type Extension = 'IMAP4rev2' | 'CONDSTORE' | 'QRESYNC' | 'UTF8=ACCEPT'

/** Who has signed in. */
export interface User {
  /** The own mailbox. */
  readonly mailbox: MailboxRef
  readonly address: string
  /** Whether its mail is encrypted. */
  readonly isPrivate: boolean
  /** Who events name as the cause of changes. */
  readonly by: By
}

/** A session after login, as its commands see it. */
export interface Session {
  readonly parts: ImapDependencies
  readonly output: Output
  readonly user: User
  readonly enabled: ReadonlySet<Extension>
  /** Turns an extension on, as ENABLE does and the first use of CONDSTORE (RFC 7162, section 3.1). */
  enable(extension: Extension): void
  readonly selected: OpenFolder | undefined
  /** Selects a mailbox, or none. */
  select(selected: OpenFolder | undefined): void
  /** The selected mailbox. Throws `Bad` without one. */
  needSelected(): OpenFolder
  /** Sends a continuation request with this text and answers the client's next line, as `DONE`. Meanwhile responses may be
   *  written. */
  ask(prompt: string): Promise<string>
  /** Waits for a place among the commands that a process carries out at a time, and works. @throws No if there is none in time */
  atWork<T>(work: () => Promise<T>): Promise<T>
  /** Lets others have their turn: to be called between the steps of long work. */
  turn(): Promise<void>
  /** Waits for memory for what a client is sent, until the answer is disposed. @throws No if there is none in time */
  reserve(octets: number): Promise<Disposable>
  /** Takes part of the folders that are remembered for clients, until the answer is disposed. Undefined if there is no room. */
  remember(folders: number): Promise<Disposable | undefined>
  /** Runs the work while no command runs, so that what it writes is not within the responses of one (NOTIFY). */
  betweenCommands(work: () => Promise<void>): Promise<void>
  /** Ends the session with this BYE once no command runs. */
  end(bye: Bye): void
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal
}

/** Carries a command out and answers its tagged OK; throws `No`, `Bad` or `Bye`. Untagged responses are written to the session's
 *  output before. What changed meanwhile is told after it, by who calls it. */
export type Handler = (session: Session, command: Command) => Promise<Completed>
