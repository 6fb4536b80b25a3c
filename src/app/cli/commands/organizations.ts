import { byOperator } from '#/base/audit/actor.ts'
import { invalid } from '#/base/errors.ts'
import type { Organization } from '#/people/organizations/organization.ts'
import { allOrganizations } from '#/people/organizations/queries.ts'
import {
  changePlan,
  createOrganization,
  organizationNamed,
  renameOrganization,
  suspendOrganization,
} from '#/people/organizations/register.ts'
import { command, type Operator } from '../command.ts'
import { grouped, minute, table } from '../table.ts'
import { belongingsOf, removeOrganization } from './remove-organization.ts'
import { suspensionText } from './suspension-text.ts'

export const organizationCommands = [
  command({
    name: 'org create',
    summary: 'Create an organization',
    operands: ['name'],
    options: { plan: { value: 'PLAN', help: 'free (the default), team, business or self_hosted' } },
    run: async ({ database: { db } }, { name, plan = 'free' }) => {
      const made = await createOrganization(db, { name, plan }, byOperator)
      return { value: made, text: `Created the organization "${made.name}" on the plan ${made.plan}.` }
    },
  }),
  command({
    name: 'org list',
    summary: 'List the organizations',
    operands: [],
    options: {},
    run: async ({ database: { db } }) => {
      const data = await allOrganizations(db)
      return {
        value: { data },
        text: table(['NAME', 'PLAN', 'STATE', 'CREATED', 'ID'], data.map(row), 'No organizations yet.'),
      }
    },
  }),
  command({
    name: 'org plan',
    summary: 'Change the plan of an organization',
    operands: ['name', 'plan'],
    options: {},
    run: async ({ database: { db } }, { name, plan }) => {
      const changed = await changePlan(db, name, plan, byOperator)
      return { value: changed, text: `"${changed.name}" is on the plan ${changed.plan}.` }
    },
  }),
  command({
    name: 'org rename',
    summary: 'Rename an organization',
    operands: ['name', 'to'],
    options: {},
    run: async ({ database: { db } }, { name, to }) => {
      const renamed = await renameOrganization(db, name, to, byOperator)
      return { value: renamed, text: `The organization is named "${renamed.name}" now.` }
    },
  }),
  command({
    name: 'org suspend',
    summary: 'Suspend an organization: no API access, no logins, no mail in or out; its data stays',
    operands: ['name'],
    options: {},
    run: (operator, { name }) => suspension(operator, name, true),
  }),
  command({
    name: 'org resume',
    summary: 'End the suspension of an organization',
    operands: ['name'],
    options: {},
    run: (operator, { name }) => suspension(operator, name, false),
  }),
  command({
    name: 'org delete',
    summary: 'Delete an organization and all its data and mail permanently',
    operands: ['name'],
    options: {
      confirm: { value: 'NAME', help: 'The name again; without it, the command shows what it would delete' },
    },
    run: async (operator, { name, confirm }, onProgress) => {
      const { db } = operator.database
      const organization = await organizationNamed(db, name)
      if (confirm === undefined || (await organizationNamed(db, confirm)).id !== organization.id)
        throw await unconfirmed(operator, organization)
      const gone = await removeOrganization({ db }, organization, byOperator, onProgress)
      const value = { deleted: true, id: organization.id, name: organization.name, ...gone }
      const [mailboxes, messages] = [many(gone.mailboxes, 'mailbox', 'mailboxes'), many(gone.messages, 'message')]
      return { value, text: `Deleted the organization "${organization.name}", ${mailboxes} and ${messages}.` }
    },
  }),
]

async function suspension(operator: Operator, name: string, suspended: boolean) {
  const { db } = operator.database
  const before = await organizationNamed(db, name)
  const after = await suspendOrganization(db, before.id, suspended, byOperator)
  return { value: after, text: suspensionText(`"${after.name}"`, before.suspended_at !== null, suspended) }
}

async function unconfirmed({ database: { db } }: Operator, { id, name }: Organization) {
  const { domains, mailboxes, waiting } = await belongingsOf(db, id)
  const all = [
    many(domains, 'domain'),
    `${many(mailboxes, 'mailbox', 'mailboxes')} with all mail`,
    `${many(waiting, 'message')} to be sent`,
  ]
  const quoted = JSON.stringify(name)
  return invalid(
    'confirm',
    `This deletes ${quoted} for good: ${all.join(', ')}, its keys and members`,
    `To confirm: mailroom org delete ${quoted} --confirm ${quoted}`,
  )
}

function many(count: number, one: string, more = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : more}`
}

function row({ name, plan, suspended_at, created_at, id }: Organization): string[] {
  return [name, plan, suspended_at ? 'suspended' : 'open', minute(created_at), id]
}
