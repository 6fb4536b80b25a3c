import { ifMissing } from '#/errors.ts'
import type { MailboxRef, MailHost, Summary } from '#/ports/mail-host.ts'
import type { Placed } from '#/threads/mailbox/mailbox-index.ts'
import { summariesOf as summariesIn } from '#/threads/summaries.ts'

/** In the order of the places, without messages that have been removed. */
export async function summariesOf(
  mailHost: MailHost,
  mailbox: MailboxRef,
  placed: readonly Placed[],
): Promise<Summary[]> {
  const found = new Map<string, Summary>()
  for (const [folder, uids] of uidsByFolder(placed)) {
    for (const one of await summariesIn(mailHost, mailbox, folder, uids).catch(ifMissing([])))
      found.set(nameOf(one), one)
  }
  return placed.flatMap((one) => found.get(nameOf(one)) ?? [])
}

/** In the order of the places. */
export function uidsByFolder(placed: Iterable<Placed>): Map<string, number[]> {
  const byFolder = new Map<string, number[]>()
  for (const { folder, uid } of placed) {
    const uids = byFolder.get(folder)
    if (uids) uids.push(uid)
    else byFolder.set(folder, [uid])
  }
  return byFolder
}

export function nameOf({ folder, uid }: Placed): string {
  return `${uid} ${folder}`
}
