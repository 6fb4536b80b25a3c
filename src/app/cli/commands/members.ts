import type { Config } from '#/app/config/config.ts'
import { byOperator } from '#/base/audit/actor.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import type { Member } from '#/people/members/member.ts'
import { addMember, changeRole, managerOfAll, memberNamed, removeMember } from '#/people/members/members.ts'
import { membersOf } from '#/people/members/queries.ts'
import { organizationNamed } from '#/people/organizations/register.ts'
import { inviteMember } from '#/people/sessions/invitation/invitation.ts'
import { makeLink, originHere, type SignInLink } from '#/people/sessions/invitation/link.ts'
import { command, type Operator } from '../command.ts'
import { minute, table } from '../table.ts'

/** The operator may do everything. */
const manager = managerOfAll(byOperator)

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
    run: async (operator, { org, email, name = '', role = 'member' }) => {
      const { db } = operator.database
      const organization = await organizationNamed(db, org)
      const member = await addMember(db, { organizationId: organization.id, email, name, role }, byOperator)
      const ref = { organizationId: organization.id, memberId: member.id }
      const made = shownLink(await makeLink(db, ref, linkBy(operator)), member)
      const added = `Added ${member.email} to "${organization.name}" as ${member.role}.`
      return { value: { ...member, ...made.value }, text: `${added}\n\n${made.text}` }
    },
  }),
  command({
    name: 'member invite',
    summary: 'Make a new link that signs a member in; the one before stops working',
    operands: ['member'],
    options: { org },
    run: async (operator, given) => {
      const { db } = operator.database
      const organization = await organizationNamed(db, given.org)
      const member = await memberNamed(db, organization.id, given.member)
      const ref = { organizationId: organization.id, memberId: member.id }
      const invite = db.transaction().execute((tx) => inviteMember(tx, ref, manager, linkBy(operator)))
      const made = shownLink((await invite).made, member)
      return { value: { ...member, ...made.value }, text: made.text }
    },
  }),
  command({
    name: 'member role',
    summary: 'Give a member another role: owner, admin or member',
    operands: ['member', 'role'],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const organization = await organizationNamed(db, given.org)
      const before = await memberNamed(db, organization.id, given.member)
      const ref = { organizationId: organization.id, memberId: before.id }
      const member = await db.transaction().execute((tx) => changeRole(tx, ref, given.role, manager))
      const is = before.role === member.role ? 'was already' : 'is now'
      return { value: member, text: `${member.email} ${is} ${member.role} of "${organization.name}".` }
    },
  }),
  command({
    name: 'member list',
    summary: "List an organization's members",
    operands: [],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const organization = await organizationNamed(db, given.org)
      const members = await membersOf(db, organization.id, { limit: 100_000, offset: 0, after: undefined })
      const data = members.map(({ at: _at, ...member }) => member)
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

function linkBy({ config, clock }: Operator) {
  return { base: config.publicUrl ?? localOrigin(config), now: clock.now() }
}

function shownLink({ link, expiresAt }: SignInLink, { email }: Member) {
  const text = `${link}\n\nThe link signs ${email} in, once, until ${minute(expiresAt)} UTC. It cannot be shown again.`
  return { value: { link, link_expires_at: expiresAt }, text }
}

const localOrigin = ({ http: { host, port } }: Pick<Config, 'http'>) =>
  originHere(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)

function row({ email, name, role, joined_at, id }: Member): string[] {
  return [email, name || '-', role, minute(joined_at), id]
}
