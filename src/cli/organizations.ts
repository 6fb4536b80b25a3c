import type { Organization } from '#/organizations/organization.ts'
import { allOrganizations } from '#/organizations/queries.ts'
import { changePlan, createOrganization } from '#/organizations/register.ts'
import { command } from './command.ts'
import { minute, table } from './table.ts'

export const organizationCommands = [
  command({
    name: 'org create',
    summary: 'Make an organization',
    operands: ['name'],
    options: { plan: { value: 'PLAN', help: 'free (the default), team, business or self_hosted' } },
    run: async ({ database: { db } }, { name, plan = 'free' }) => {
      const made = await createOrganization(db, { name, plan })
      return { value: made, text: `Made the organization "${made.name}" on the plan ${made.plan}.` }
    },
  }),
  command({
    name: 'org list',
    summary: 'List the organizations',
    operands: [],
    options: {},
    run: async ({ database: { db } }) => {
      const data = await allOrganizations(db)
      return { value: { data }, text: table(['NAME', 'PLAN', 'CREATED', 'ID'], data.map(row), 'No organizations yet.') }
    },
  }),
  command({
    name: 'org plan',
    summary: 'Put an organization on another plan',
    operands: ['name', 'plan'],
    options: {},
    run: async ({ database: { db } }, { name, plan }) => {
      const changed = await changePlan(db, name, plan)
      return { value: changed, text: `"${changed.name}" is on the plan ${changed.plan}.` }
    },
  }),
]

function row({ name, plan, created_at, id }: Organization): string[] {
  return [name, plan, minute(created_at), id]
}
