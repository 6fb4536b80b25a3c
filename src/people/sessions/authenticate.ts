import { sql } from 'kysely'
import type { RunningClock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import type { Identity } from '#/http/access/authorize.ts'
import type { Level } from '#/http/access/caller.ts'
import { Credentials, type Kind, type Known } from '#/http/access/credentials.ts'
import type { Role } from '#/people/members/member.ts'
import { endOf } from './lifetime.ts'
import { confirmedAt } from './queries.ts'
import { identityOf } from './roles.ts'
import { hashToken, isToken } from './token.ts'

const sessions: Kind = {
  isWellFormed: isToken,
  hash: hashToken,
  findOne: async (db, hash) => (await found(db, [hash])).get(hash.toString('hex')),
  findMany: found,
  recordUse: async (db, used) => {
    await sql`
      update member_sessions set last_used_at = date_trunc('minute', used.at)
      from unnest(${used.map(([id]) => id)}::uuid[], ${used.map(([, at]) => new Date(at))}::timestamptz[]) as used (id, at)
      where member_sessions.id = used.id and last_used_at < date_trunc('minute', used.at)`.execute(db)
  },
}

/** Identifies members by the tokens of their sessions. */
export class SessionAuthenticator extends Credentials {
  /** When the member of a session last confirmed who they are. Read from the database, so that all processes agree. */
  readonly confirmedAt: (session: { organizationId: string; sessionId: string }) => Promise<Date | undefined>

  constructor(db: Db, clock: RunningClock, options: { every?: number } = {}) {
    super(db, sessions, clock, options)
    this.confirmedAt = (session) => confirmedAt(db, session)
  }
}

interface Row {
  readonly hash: string
  readonly id: string
  readonly organization_id: string
  readonly member_id: string
  readonly created_at: Date
  readonly last_used_at: Date
  readonly role: Role
  readonly email: string
  readonly suspended: boolean
  readonly mailboxes: readonly (readonly [id: string, level: Level])[]
}

/** Ids and levels of the mailboxes that belong to a member or are shared with them. */
const mailboxesOfMember = sql`(
  select coalesce(jsonb_agg(jsonb_build_array(id, level) order by own), '[]') from (
    select mailbox_id as id, level, false as own from mailbox_access
    where organization_id = member.organization_id and member_id = member.id
    union all
    select id, 'send', true from mailboxes
    where organization_id = member.organization_id and member_id = member.id
  ) mailbox
)`

/** The permissions of a member without a session; undefined once they are removed. */
export async function memberIdentity(
  db: Db,
  { organizationId, memberId }: { organizationId: string; memberId: string },
): Promise<Identity | undefined> {
  const { rows } = await sql<Pick<Row, 'role' | 'email' | 'suspended' | 'mailboxes'>>`
    select member.role, member.email, organization.suspended_at is not null as suspended, ${mailboxesOfMember} as mailboxes
    from members member join organizations organization on organization.id = member.organization_id
    where member.organization_id = ${organizationId} and member.id = ${memberId}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { role, email, suspended } = row
  const member = { id: memberId, sessionId: '', role, email }
  return identityOf(member, { organizationId, mailboxes: new Map(row.mailboxes), suspended })
}

async function found(db: Db, hashes: readonly Buffer[]): Promise<Map<string, Known>> {
  const { rows } = await sql<Row>`
    select encode(session.hash, 'hex') as hash, session.id, session.organization_id, session.member_id,
      session.created_at, session.last_used_at, member.role, member.email, organization.suspended_at is not null as suspended,
      ${mailboxesOfMember} as mailboxes
    from member_sessions session
    join members member on member.organization_id = session.organization_id and member.id = session.member_id
    join organizations organization on organization.id = session.organization_id
    where session.hash = any(
      array(select decode(name, 'hex') from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as name)
    )`.execute(db)
  return new Map(rows.map((row) => [row.hash, asKnown(row)]))
}

function asKnown(row: Row): Known {
  const { organization_id: organizationId, suspended } = row
  const mailboxes = new Map(row.mailboxes)
  const member = { id: row.member_id, sessionId: row.id, role: row.role, email: row.email }
  const end = endOf(row).getTime()
  return {
    id: row.id,
    identity: identityOf(member, { organizationId, mailboxes, suspended }),
    isLive: (now) => now < end,
    opensTo: undefined,
  }
}
