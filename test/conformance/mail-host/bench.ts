import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tx } from '#/db/schema.ts'
import type { Copy, ListQuery, MailboxRef, MailHost } from '#/ports/mail-host.ts'

/** A mail host under test, and its surroundings. */
export interface Bench extends AsyncDisposable {
  readonly host: MailHost
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  /** The form in which the host holds them: IMAP has no NUL, no empty message, and no fraction of a second. */
  readonly kept: { bytes(raw: Buffer): Buffer; date(at: Date): Date }
  /** New mailboxes, prepared by `open`: two of one organization, one of another. */
  mailboxes(): Promise<Mailboxes>
}

export interface Mailboxes {
  readonly ada: MailboxRef
  readonly bob: MailboxRef
  readonly stranger: MailboxRef
}

/** A test's mailboxes, and short names for operations on them. */
export interface Trial extends Mailboxes {
  readonly host: MailHost
  readonly transaction: Bench['transaction']
  readonly kept: Bench['kept']
  append(...copies: Copy[]): Promise<void>
  /** Ada's uids in the order of the list. */
  uids(folder: string, query?: Partial<ListQuery>): Promise<number[]>
}

/** Adds a test that starts with empty mailboxes. */
export type TestIt = (what: string, work: (trial: Trial) => Promise<void>) => void

export function tester(bench: () => Bench): TestIt {
  return (what, work) => {
    test(what, async () => {
      const { host, transaction, kept } = bench()
      const mailboxes = await bench().mailboxes()
      await work({
        ...mailboxes,
        host,
        transaction,
        kept,
        append: (...copies) => transaction((tx) => host.append(tx, copies)),
        async uids(folder, query = {}) {
          const { total, messages } = await host.list(mailboxes.ada, folder, { limit: 100, page: 0, ...query })
          assert.equal(total, messages.length)
          return messages.map(({ uid }) => uid)
        },
      })
    })
  }
}
