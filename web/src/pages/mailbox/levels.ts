import type { MailboxAccessLevel } from '../../api/generated.ts'

export const levels: Readonly<Record<MailboxAccessLevel, string>> = {
  read: 'Read',
  change: 'Read, label and move',
  send: 'Read, label, move and send',
  own: 'Everything: it is theirs',
}
