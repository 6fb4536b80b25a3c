import { ifMissing } from '#/errors.ts'
import type { MailboxRef, MailHost, Summary } from '#/ports/mail-host.ts'
import { type Placed, uidsByFolder } from '#/threads/mailbox/placed.ts'
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

export function nameOf({ folder, uid }: Placed): string {
  return `${uid} ${folder}`
}
