import type { Generated } from 'kysely'

export interface MailboxTables {
  mailboxes: Mailboxes
  addresses: Addresses
  catch_alls: CatchAlls
  mailbox_access: MailboxAccess
}

interface Mailboxes {
  id: Generated<string>
  organization_id: string
  domain_id: string
  member_id: string | null
  address: string
  local_part: string
  name: Generated<string>
  kind: Generated<'smart' | 'private'>
  public_key: string | null
  public_key_usable_at: Date | null
  password_hash: string | null
  suspended_at: Date | null
  created_at: Generated<Date>
}

interface Addresses {
  address: string
  organization_id: string
  mailbox_id: string
  alias: boolean
}

interface CatchAlls {
  domain_id: string
  organization_id: string
  mailbox_id: string
}

interface MailboxAccess {
  organization_id: string
  mailbox_id: string
  member_id: string
  level: 'read' | 'change' | 'send'
  given_at: Generated<Date>
}
