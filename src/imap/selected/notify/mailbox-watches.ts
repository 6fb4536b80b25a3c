import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { short } from '#/base/db/short.ts'

interface Watched {
  /** What all folders of the mailbox were at the last look; undefined before. */
  digest: string | undefined
  readonly wakes: Set<() => void>
}

/** The mailboxes of which NOTIFY wants to hear: folders that come, go or change, and subscriptions. */
export class MailboxWatches {
  readonly #watched = new Map<string, Watched>()

  get size(): number {
    return this.#watched.size
  }

  /** Calls `wake` each time something in the mailbox has changed since the next look, until the answer is disposed. */
  watch(mailboxId: string, wake: () => void): Disposable {
    const watched = this.#watched.get(mailboxId) ?? { digest: undefined, wakes: new Set() }
    this.#watched.set(mailboxId, watched)
    watched.wakes.add(wake)
    return {
      [Symbol.dispose]: () => {
        watched.wakes.delete(wake)
        if (watched.wakes.size === 0 && this.#watched.get(mailboxId) === watched) this.#watched.delete(mailboxId)
      },
    }
  }

  /** One row a mailbox says whether anything is different. Modification sequences only grow, and a folder that is renamed or made
   *  again changes the sum of hashes. */
  async look(db: Db): Promise<void> {
    if (this.size === 0) return
    const ids = [...this.#watched.keys()]
    const { rows } = await sql<{ id: string; digest: string }>`
      select wanted.id, concat_ws(' ', folders.digest, subscriptions.digest) as digest
      from unnest(${ids}::uuid[]) as wanted (id), lateral (
        select concat_ws(' ', count(*), sum(modseq), sum(hashtextextended(name, id))) as digest
        from mail_folders where mailbox_id = wanted.id
      ) folders, lateral (
        select concat_ws(' ', count(*), sum(folder_id)) as digest from imap_unsubscribed where mailbox_id = wanted.id
      ) subscriptions`.execute(short(db))
    const found = new Map(rows.map(({ id, digest }) => [id, digest]))
    for (const id of ids) {
      const watched = this.#watched.get(id)
      const digest = found.get(id)
      if (!watched || digest === undefined || watched.digest === digest) continue
      watched.digest = digest
      for (const wake of [...watched.wakes]) wake()
    }
  }
}
