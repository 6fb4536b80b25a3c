export interface ImapTables {
  imap_unsubscribed: ImapUnsubscribed
}

interface ImapUnsubscribed {
  organization_id: string
  mailbox_id: string
  folder_id: number
}
