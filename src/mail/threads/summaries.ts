import type { Db } from '#/base/db/schema.ts'
import { ifMissing } from '#/base/errors.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readSummaries, type Summary } from '#/mail/store/read.ts'
import { type Placed, uidsByFolder } from './mailbox/placed.ts'

/** Messages in one statement. */
export const summariesAtOnce = 500

/** In the order of the places, without messages that have been removed. */
export async function summariesOf(db: Db, mailbox: MailboxRef, placed: readonly Placed[]): Promise<Summary[]> {
  const found = new Map<string, Summary>()
  for (const [folder, uids] of uidsByFolder(placed)) {
    for (let at = 0; at < uids.length; at += summariesAtOnce) {
      const some = uids.slice(at, at + summariesAtOnce)
      for (const one of await readSummaries(db, mailbox, folder, some).catch(ifMissing([]))) found.set(nameOf(one), one)
    }
  }
  return placed.flatMap((one) => found.get(nameOf(one)) ?? [])
}

export function nameOf({ folder, uid }: Placed): string {
  return `${uid} ${folder}`
}
