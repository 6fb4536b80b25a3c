import type { Generated } from 'kysely'

export interface ImapWatchTables {
  imap_changes: ImapChanges
  imap_folders: ImapFolders
  imap_watches: ImapWatches
}

interface ImapWatches {
  id: string
  organization_id: string
  looked_at: Date | null
  due_at: Generated<Date>
  leased_until: Date | null
  lease_epoch: Generated<number>
}

interface ImapFolders {
  organization_id: string
  mailbox_id: string
  name: string
  uid_validity: number
  uid_next: number
  modseq: number
  messages: number
}

interface ImapChanges {
  id: Generated<number>
  organization_id: string
  mailbox_id: string
  folder: string
  uid: number
  became: string | null
  before: string | null
  modseq: number | null
  from_folder: string | null
  from_uid: number | null
  at: Generated<Date>
}
