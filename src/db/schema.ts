import type { ColumnType, Generated, JSONColumnType, Kysely, Transaction } from 'kysely'
import type { Applied } from '#/ports/mail-host.ts'

/** The database, or a transaction on it: what a query that may run in either takes. */
export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** Set by the database when the row is made. */
type Made<T> = ColumnType<T, T | undefined, T>

export interface Schema {
  installation: Installation
  retired_secrets: RetiredSecrets
  secret_holders: SecretHolders
  plans: Plans
  organizations: Organizations
  organization_usage: OrganizationUsage
  sends: Sends
  members: Members
  api_keys: ApiKeys
  idempotency_keys: IdempotencyKeys
  domains: Domains
  dkim_keys: DkimKeys
  mailboxes: Mailboxes
  addresses: Addresses
  catch_alls: CatchAlls
  labels: Labels
  retired_keywords: RetiredKeywords
  filters: Filters
  blocked_senders: BlockedSenders
  mail_folders: MailFolders
  mail_contents: MailContents
  mail_pieces: MailPieces
  mail_messages: MailMessages
  mail_keywords: MailKeywords
  mail_keyword_totals: MailKeywordTotals
  mail_expunged: MailExpunged
  mail_spool: MailSpool
  arrivals: Arrivals
  outbound_messages: OutboundMessages
  outbound_pieces: OutboundPieces
  outbound_recipients: OutboundRecipients
  scheduled_messages: ScheduledMessages
  scheduled_pieces: ScheduledPieces
  scheduled_usage: ScheduledUsage
  forwarding: ForwardingSettings
  auto_replies: AutoReplies
  return_paths: ReturnPaths
  returned_reports: ReturnedReports
  mta_sts_policies: MtaStsPolicies
}

interface Installation {
  secret_fingerprint: Buffer
  mail_host: string | null
  mail_moving_from: string | null
  id_hash_key: Buffer | null
}

interface RetiredSecrets {
  fingerprint: Buffer
  sealed: Buffer
  retired_at: Made<Date>
  replaced_at: Date | null
}

interface SecretHolders {
  process: string
  knows: Buffer[]
  uses: Buffer
  seen_at: Made<Date>
}

interface Plans {
  name: string
  domains: number
  mailboxes: number
  storage_bytes: number
  sends_per_day: number
  scheduled_messages: Generated<number>
  scheduled_bytes: Generated<number>
}

interface Organizations {
  id: Generated<string>
  name: string
  plan: string
  suspended_at: Date | null
  created_at: Made<Date>
}

interface OrganizationUsage {
  organization_id: string
  domains: Generated<number>
  mailboxes: Generated<number>
  storage_bytes: Generated<number>
}

interface Sends {
  organization_id: string
  day: string
  recipients: Generated<number>
}

interface Members {
  id: Generated<string>
  organization_id: string
  email: string
  name: Generated<string>
  role: 'owner' | 'admin' | 'member'
  joined_at: Made<Date>
}

interface ApiKeys {
  id: Generated<string>
  organization_id: string
  name: Generated<string>
  hash: Buffer
  prefix: string
  last_four: string
  scopes: string[]
  created_at: Made<Date>
  expires_at: Date | null
  last_used_at: Date | null
  revoked_at: Date | null
}

interface IdempotencyKeys {
  organization_id: string
  key: string
  answer: Buffer
  created_at: Made<Date>
}

interface Domains {
  id: Generated<string>
  organization_id: string
  domain: string
  status: Generated<'pending' | 'verified' | 'failed'>
  ownership_token: Generated<string>
  challenged_at: Made<Date>
  ownership_verified_at: Date | null
  ownership_missing_since: Date | null
  ownership_missing_times: Generated<number>
  receiving_verified_at: Date | null
  receiving_missing_since: Date | null
  receiving_missing_times: Generated<number>
  /** By itself, or with its organization. */
  suspended_at: Date | null
  suspended_apart_at: Date | null
  last_checked_at: Date | null
  next_check_at: Date | null
  leased_until: Date | null
  check_epoch: Generated<number>
  findings: ColumnType<CheckedRecord[], string | undefined, string>
  created_at: Made<Date>
}

/** A record that a domain should have, as the DNS was last found to hold it. */
export interface CheckedRecord {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority: number | null
  readonly satisfied: boolean
  /** RFC 3339, as JSON has it. */
  readonly checked_at: string
  readonly found: readonly string[]
  readonly problem: null | 'missing' | 'mismatch' | 'conflict' | 'lookup_failed'
  readonly fix: string | null
}

interface DkimKeys {
  id: string
  organization_id: string
  domain_id: string
  selector: string
  algorithm: 'rsa' | 'ed25519'
  public_key: string
  private_key: Buffer
  created_at: Date
  seen_at: Date | null
  retires_at: Date | null
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
  created_at: Made<Date>
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

interface Labels {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  name: string
  name_key: string
  keyword: string
  colour: string
  created_at: Made<Date>
}

interface RetiredKeywords {
  organization_id: string
  member_id: string | null
  name_key: string
  keyword: string
  retired_at: Made<Date>
}

interface Filters {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  name: string
  field: 'from' | 'to' | 'subject'
  op: 'contains' | 'is'
  value: string
  action: 'move' | 'label' | 'star' | 'read'
  argument: string | null
  position: number
  enabled: Generated<boolean>
  created_at: Made<Date>
  updated_at: Made<Date>
}

interface BlockedSenders {
  id: Generated<string>
  organization_id: string
  member_id: string | null
  pattern: string
  created_at: Made<Date>
}

interface MailFolders {
  /** UIDVALIDITY too. */
  id: Generated<number>
  organization_id: string
  mailbox_id: string
  name: string
  uid_next: Generated<number>
  modseq: Generated<number>
  expunged_from: Generated<number>
  total: Generated<number>
  unread: Generated<number>
  size_bytes: Generated<number>
}

interface MailContents {
  id: Generated<number>
  organization_id: string
  copies: number
  /** Null where they lie in `mail_pieces`. */
  bytes: Buffer | null
  message_id: string | null
  thread_root: string | null
  subject: string
  from_name: string | null
  from_address: string | null
  recipients: JSONColumnType<{ name: string; address: string }[]>
  has_attachment: boolean
  preview: string
}

interface MailPieces {
  content_id: number
  number: number
  bytes: Buffer
}

interface MailMessages {
  folder_id: number
  uid: number
  modseq: number
  content_id: number
  received_at: Date
  size_bytes: number
  seen: boolean
  flagged: boolean
  keywords: string[]
  sender: string
  id_hash: Buffer | null
  strong: Buffer
  weak: Buffer
  filtered_by: JSONColumnType<Applied[]> | null
}

interface MailKeywords {
  folder_id: number
  keyword: string
  received_at: Date
  uid: number
  seen: boolean
}

interface MailKeywordTotals {
  folder_id: number
  keyword: string
  total: number
  unread: number
}

interface MailExpunged {
  folder_id: number
  modseq: number
  uid: number
}

interface MailSpool {
  id: Generated<number>
  organization_id: string
  mailbox_id: string
  size_bytes: number
}

interface Arrivals {
  mailbox_id: string
  digest: Buffer
  arrived_at: Made<Date>
}

interface MtaStsPolicies {
  domain: string
  id: string
  mode: 'enforce' | 'testing' | 'none'
  mx: string[]
  until: Date
}

interface OutboundMessages {
  id: string
  organization_id: string
  mailbox_id: string | null
  kind: 'sent' | 'scheduled' | 'notice' | 'relayed' | 'returned' | 'reply'
  sender: string
  smtp_utf8: boolean
  eight_bit: boolean
  size_bytes: number
  concealed: Generated<boolean>
  delivered: Generated<number>
  created_at: Date
  expires_at: Date
  verdict: Generated<Buffer | null>
}

interface OutboundPieces {
  message_id: string
  number: number
  bytes: Buffer
  sealed: Generated<boolean>
}

interface OutboundRecipients {
  id: Generated<number>
  message_id: string
  organization_id: string
  recipient: string
  route: string
  state: Generated<'waiting' | 'sending'>
  dotted: Generated<boolean>
  attempts: Generated<number>
  cut_short: Generated<number>
  suspect: Generated<boolean>
  doubted_at: Date | null
  due_at: Date
  epoch: Generated<number>
  told_at: Date | null
  reply: string | null
  reason: string | null
  host: string | null
}

interface ScheduledMessages {
  id: string
  organization_id: string
  mailbox_id: string | null
  sender: string
  to: string[] | null
  cc: string[] | null
  bcc: string[] | null
  recipients: string[]
  subject: string | null
  fields: Buffer | null
  attachment_count: number
  message_id: string
  size_bytes: number
  scheduled_by: 'api_key' | 'member'
  send_at: Date
  status: Generated<'pending' | 'sending' | 'failed' | 'sent'>
  attempts: Generated<number>
  cut_short: Generated<number>
  due_at: Date | null
  claimed_until: Date | null
  queued: Generated<boolean>
  copy_due_at: Date | null
  epoch: Generated<number>
  last_error: string | null
  failed_at: Date | null
  created_at: Date
}

interface ScheduledPieces {
  scheduled_id: string
  number: number
  bytes: Buffer
  sealed: Generated<boolean>
}

interface ScheduledUsage {
  organization_id: string
  messages: number
  bytes: number
}

interface ForwardingSettings {
  mailbox_id: string
  organization_id: string
  forward_enabled: Generated<boolean>
  forward_to: string | null
  forward_since: Date | null
  forward_until: Date | null
  forward_paused_at: Date | null
  forward_paused_because: string | null
  refused_at: Generated<Date[]>
  relayed_on: string | null
  relayed: Generated<number>
  returned_on: string | null
  returned: Generated<number>
  replied_on: string | null
  replied: Generated<number>
  reply_enabled: Generated<boolean>
  reply_subject: Generated<string>
  reply_body: Generated<string>
  reply_since: Date | null
  reply_until: Date | null
  updated_at: Date
}

interface AutoReplies {
  mailbox_id: string
  sender: string
  replied_at: Date
}

interface ReturnPaths {
  id: string
  address: string
  used_at: Date
  mailbox_id: string | null
}

interface ReturnedReports {
  mailbox_id: string
  address: string
  returned_on: string
  returned: number
}
