import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { type Level, levels } from '#/http/access/caller.ts'
import { permissions } from '#/http/access/permissions.ts'
import { scopes } from '#/http/access/scopes.ts'
import { Id, OneOf, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { kinds } from '#/mail/mailboxes/mailbox.ts'
import type { MemberRef } from '#/people/members/member.ts'
import { type Role, roles } from '#/people/members/member.ts'
import { permissionsOfRole, scopesOfRole } from './roles.ts'

const MailboxOfMe = Type.Object({
  id: Id,
  address: Type.String({ examples: ['ada@tryout.test'] }),
  name: Type.String({ examples: ['Ada Lovelace'] }),
  kind: OneOf(kinds),
  suspended: Type.Boolean(),
  level: OneOf([...levels, 'own'], { description: 'What the session may do with its mail; `own` is everything.' }),
})

export const MeOut = Type.Object(
  {
    id: Id,
    email: Type.String({ examples: ['ada@tryout.test'] }),
    name: Type.String({ description: 'Empty if none was given.', examples: ['Ada Lovelace'] }),
    role: OneOf(roles),
    joined_at: Timestamp,
    organization: Type.Object({ id: Id, name: Type.String({ examples: ['tryout'] }) }),
    has_password: Type.Boolean({ description: 'Whether they can sign in with a password.' }),
    has_totp: Type.Boolean({ description: 'Whether signing in with the password needs a code of a second factor.' }),
    has_passkey: Type.Boolean({ description: 'Whether they can sign in with a passkey.' }),
    mailboxes: Type.Array(MailboxOfMe, {
      description: "The member's own, then those that are shared with them. No other mail exists for the session.",
    }),
    scopes: Type.Array(OneOf(scopes), {
      description: 'What the role may do. Those of mail are valid for these mailboxes only, at the level of each.',
    }),
    permissions: Type.Array(OneOf(permissions), { description: 'What the role may do that no key may.' }),
  },
  { title: 'Me' },
)

interface Row {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly joined_at: Date
  readonly organization: string
  readonly has_password: boolean
  readonly has_totp: boolean
  readonly has_passkey: boolean
  readonly mailboxes: readonly {
    readonly id: string
    readonly address: string
    readonly name: string
    readonly kind: (typeof kinds)[number]
    readonly suspended: boolean
    readonly level: Level | 'own'
  }[]
}

/** The member as they see themselves; undefined once they are removed. */
export async function meOf(db: Db, { organizationId, memberId }: MemberRef) {
  const { rows } = await sql<Row>`
    select member.id, member.email, member.name, member.role, member.joined_at, organizations.name as organization,
      exists (
        select from member_passwords where organization_id = member.organization_id and member_id = member.id
      ) as has_password,
      exists (
        select from member_totp
        where organization_id = member.organization_id and member_id = member.id and enabled_at is not null
      ) as has_totp,
      exists (
        select from member_passkeys where organization_id = member.organization_id and member_id = member.id
      ) as has_passkey,
      coalesce((
        select jsonb_agg(
          jsonb_build_object('id', mailbox.id, 'address', mailbox.address, 'name', mailbox.name, 'kind', mailbox.kind,
            'suspended', mailbox.suspended_at is not null, 'level', mine.level)
          order by mine.level <> 'own', mailbox.created_at, mailbox.id)
        from (
          select id, 'own' as level from mailboxes
          where organization_id = member.organization_id and member_id = member.id
          union all
          select mailbox_id, level from mailbox_access
          where organization_id = member.organization_id and member_id = member.id and mailbox_id not in (
            select id from mailboxes where organization_id = member.organization_id and member_id = member.id)
        ) mine join mailboxes mailbox on mailbox.organization_id = member.organization_id and mailbox.id = mine.id
      ), '[]') as mailboxes
    from members member join organizations on organizations.id = member.organization_id
    where member.organization_id = ${organizationId} and member.id = ${memberId}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { organization, joined_at, mailboxes, ...member } = row
  return {
    ...member,
    joined_at: joined_at.toISOString(),
    organization: { id: organizationId, name: organization },
    mailboxes: [...mailboxes],
    scopes: scopesOfRole(row.role),
    permissions: permissionsOfRole(row.role),
  }
}
