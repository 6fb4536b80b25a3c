import type { MailboxAccessLevel } from '../../api/generated.ts'

/** What each level allows, in words. */
export const levels: Readonly<Record<MailboxAccessLevel, string>> = {
  read: 'Read',
  change: 'Read, label and move',
  send: 'Read, label, move and send',
  own: 'Everything: it is theirs',
}
