import type { Kysely, Transaction } from 'kysely'
import type { AuditTables } from './schema/audit.ts'
import type { BlockedSenderTables } from './schema/blocked-senders.ts'
import type { ChangeTables } from './schema/changes.ts'
import type { DomainTables } from './schema/domains.ts'
import type { DraftTables } from './schema/drafts.ts'
import type { EventTables } from './schema/events.ts'
import type { FilterTables } from './schema/filters.ts'
import type { ForwardingTables } from './schema/forwarding.ts'
import type { HttpTables } from './schema/http.ts'
import type { ImapTables } from './schema/imap.ts'
import type { InboundTables } from './schema/inbound.ts'
import type { KeyTables } from './schema/keys.ts'
import type { LabelTables } from './schema/labels.ts'
import type { MailTables } from './schema/mail.ts'
import type { MailboxTables } from './schema/mailboxes.ts'
import type { MemberTables } from './schema/members.ts'
import type { OrganizationTables } from './schema/organizations.ts'
import type { OutboundTables } from './schema/outbound.ts'
import type { QueueTables } from './schema/queue.ts'
import type { SecretTables } from './schema/secrets.ts'
import type { SendingTables } from './schema/sending.ts'
import type { SentTables } from './schema/sent.ts'
import type { SessionTables } from './schema/sessions.ts'
import type { SignatureTables } from './schema/signatures.ts'
import type { SuppressionTables } from './schema/suppressions.ts'
import type { UsageTables } from './schema/usage.ts'
import type { WebhookTables } from './schema/webhooks.ts'

/** The database or a transaction on it: the parameter of queries that run in either. */
export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** All tables. The row of a table is in the file of the noun that writes it. */
export interface Schema
  extends AuditTables,
    BlockedSenderTables,
    ChangeTables,
    DomainTables,
    DraftTables,
    EventTables,
    FilterTables,
    ForwardingTables,
    HttpTables,
    ImapTables,
    InboundTables,
    KeyTables,
    LabelTables,
    MailTables,
    MailboxTables,
    MemberTables,
    OrganizationTables,
    OutboundTables,
    QueueTables,
    SecretTables,
    SendingTables,
    SentTables,
    SessionTables,
    SignatureTables,
    SuppressionTables,
    UsageTables,
    WebhookTables {}
