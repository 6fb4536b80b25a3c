import { byOperator } from '#/audit/actor.ts'
import type { Member } from '#/members/member.ts'
import { addMember, removeMember } from '#/members/members.ts'
import { membersOf } from '#/members/queries.ts'
import { organizationNamed } from '#/organizations/register.ts'
import { invalidateRules } from '#/organizations/rule-cache.ts'
import { command } from './command.ts'
import { minute, table } from './table.ts'

const org = { value: 'NAME', help: 'The organization', required: true } as const

export const memberCommands = [
  command({
    name: 'member add',
    summary: 'Add a member to an organization',
    operands: [],
    options: {
      org,
      email: { value: 'ADDRESS', help: "The member's e-mail address", required: true },
      name: { value: 'TEXT', help: "The member's name" },
      role: { value: 'ROLE', help: 'owner, admin or member (the default)' },
    },
    run: async ({ database: { db } }, { org, email, name = '', role = 'member' }) => {
      const organization = await organizationNamed(db, org)
      const member = await addMember(db, { organizationId: organization.id, email, name, role }, byOperator)
      return { value: member, text: `Added ${member.email} to "${organization.name}" as ${member.role}.` }
    },
  }),
  command({
    name: 'member list',
    summary: "List an organization's members",
    operands: [],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const organization = await organizationNamed(db, given.org)
      const data = await membersOf(db, organization.id, { limit: 100_000, page: 0 })
      const headings = ['EMAIL', 'NAME', 'ROLE', 'JOINED', 'ID']
      return { value: { data }, text: table(headings, data.map(row), `"${organization.name}" has no members yet.`) }
    },
  }),
  command({
    name: 'member remove',
    summary: 'Remove a member, with the labels, filters and blocks that are their own',
    operands: ['member'],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const organization = await organizationNamed(db, given.org)
      const member = await removeMember(db, organization.id, given.member, byOperator)
      invalidateRules(db, organization.id)
      return { value: { removed: true, ...member }, text: `Removed ${member.email} from "${organization.name}".` }
    },
  }),
]

function row({ email, name, role, joined_at, id }: Member): string[] {
  return [email, name || '-', role, minute(joined_at), id]
}
