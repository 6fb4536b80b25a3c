import type { MailboxRef, MailHost, Summary } from '#/ports/mail-host.ts'

/** Messages in one request to the mail host, which serves no other meanwhile. */
export const summariesAtOnce = 500

/** In the order of the uids, without messages that have left the folder. */
export async function summariesOf(
  mailHost: MailHost,
  mailbox: MailboxRef,
  folder: string,
  uids: readonly number[],
): Promise<Summary[]> {
  const byUid = new Map<number, Summary>()
  for (let at = 0; at < uids.length; at += summariesAtOnce) {
    const some = await mailHost.summaries(mailbox, folder, uids.slice(at, at + summariesAtOnce))
    for (const summary of some) byUid.set(summary.uid, summary)
  }
  return uids.flatMap((uid) => byUid.get(uid) ?? [])
}
