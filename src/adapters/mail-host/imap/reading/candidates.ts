import { setTimeout as wait } from 'node:timers/promises'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { SearchQuery } from '#/ports/search.ts'
import { unlessRefused } from '../client/errors.ts'
import type { ImapSession } from '../client/session.ts'
import type { Reach } from '../reach.ts'
import { newestFirst } from './list.ts'
import { searchKey } from './search-keys.ts'

/** What a search has to look at in a folder, found by SEARCH: every message that its query finds, and others. */
export class Candidates {
  readonly #reach: Reach
  /** Folders in which the server still searches for words, for a request that no longer waits. */
  readonly #searching = new Set<string>()

  constructor(reach: Reach) {
    this.#reach = reach
  }

  /** Uids, last received first. If the server has not found the words by `until`, by performance.now(), as while it indexes a
   *  folder, it searches without them. */
  async in(mailbox: MailboxRef, folder: string, query: SearchQuery, until: number): Promise<readonly number[]> {
    const left = until - performance.now()
    const place = `${mailbox.mailboxId}/${folder}`
    const found =
      left > 0 && !this.#searching.has(place) ? await this.#byWords(mailbox, folder, query, left) : undefined
    return found ?? (await this.#reach.inFolder(mailbox, folder, (session) => find(session, folder, query, false)))
  }

  /** Undefined if the server refuses, or does not answer in time. */
  async #byWords(mailbox: MailboxRef, folder: string, query: SearchQuery, left: number) {
    const looked = this.#reach.inFolder(mailbox, folder, async (session) => {
      const finding = find(session, folder, query, session.connection.can('SEARCH=FUZZY'))
      return (await finding.catch(unlessRefused)) ?? undefined
    })
    const timer = new AbortController()
    const timeOut = wait(left, 'timed out' as const, { signal: timer.signal })
    const found = await Promise.race([looked, timeOut]).finally(() => timer.abort())
    if (found !== 'timed out') return found
    const place = `${mailbox.mailboxId}/${folder}`
    this.#searching.add(place)
    const ended = () => this.#searching.delete(place)
    looked.then(ended, ended)
    return undefined
  }
}

/** A server says by SEARCH=FUZZY (RFC 6203) that it has a full-text index. */
async function find(session: ImapSession, folder: string, { tree, now }: SearchQuery, words: boolean) {
  const key = searchKey(tree, { folder, now, words })
  return key ? newestFirst(session, key) : []
}
