import { isRobot } from '#/formats/mime/report/unanswerable.ts'
import type { OwnAddresses } from '#/mail/mailboxes/own-addresses.ts'

export const sides = ['us', 'them'] as const

/** Who is expected to write next; null if nobody is. */
export type Awaiting = (typeof sides)[number] | null

/** The message of a conversation that was received last. */
export interface LastMessage {
  readonly folder: string
  /** In canonical form; empty if there is none. */
  readonly author: string
  /** Whether its header says that no answer is expected: list and bulk mail, automatic mail, reports. */
  readonly automatic: boolean
}

/** A message is ours if it is in Sent or from an address that the mailbox may send as. */
export function isOurs({ folder, author }: Pick<LastMessage, 'folder' | 'author'>, own: OwnAddresses): boolean {
  return folder === 'sent' || own.include(author)
}

/** No answer to a program's address is expected. */
export function awaiting(last: LastMessage, own: OwnAddresses): Awaiting {
  const { author, automatic } = last
  if (automatic) return null
  if (isOurs(last, own)) return 'them'
  return author === '' || isRobot(author) ? null : 'us'
}
