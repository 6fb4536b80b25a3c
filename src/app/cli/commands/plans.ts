import { byOperator } from '#/base/audit/actor.ts'
import {
  allPlans,
  countIn,
  type Plan,
  type PlanLimits,
  planName,
  setPlan,
  storageIn,
} from '#/people/organizations/plans.ts'
import { command } from '../command.ts'
import { table } from '../table.ts'

export const planCommands = [
  command({
    name: 'plan list',
    summary: 'List the plans, with their limits',
    operands: [],
    options: {},
    run: async ({ database: { db } }) => {
      const data = await allPlans(db)
      return { value: { data }, text: table([...headings, 'ORGANIZATIONS'], data.map(listed), 'No plans.') }
    },
  }),
  command({
    name: 'plan set',
    summary: 'Change limits of a plan, for all its organizations, or create a plan',
    operands: ['name'],
    options: {
      domains: { value: 'N', help: 'Domains' },
      mailboxes: { value: 'N', help: 'Mailboxes' },
      storage: { value: 'SIZE', help: 'Mail in all mailboxes: 5GiB, 250MiB or octets' },
      sends: { value: 'N', help: 'Recipients a day' },
      scheduled: { value: 'N', help: 'Scheduled messages at a time' },
      'scheduled-storage': { value: 'SIZE', help: 'Total size of scheduled messages' },
    },
    run: async ({ database: { db } }, given) => {
      const plan = await setPlan(db, planName(given.name), limitsIn(given), byOperator)
      return { value: plan, text: table(headings, [row(plan)], '') }
    },
  }),
]

const headings = ['NAME', 'DOMAINS', 'MAILBOXES', 'STORAGE', 'SENDS A DAY', 'SCHEDULED', 'SCHEDULED STORAGE']

function limitsIn(given: Readonly<Record<string, string | undefined>>): Partial<PlanLimits> {
  const columns = [
    ['domains', 'domains', countIn],
    ['mailboxes', 'mailboxes', countIn],
    ['storage', 'storage_bytes', storageIn],
    ['sends', 'sends_per_day', countIn],
    ['scheduled', 'scheduled_messages', countIn],
    ['scheduled-storage', 'scheduled_bytes', storageIn],
  ] as const
  return Object.fromEntries(
    columns.flatMap(([option, column, read]) => {
      const text = given[option]
      return text === undefined ? [] : [[column, read(option, text)]]
    }),
  )
}

function listed(plan: Plan & { organizations: number }): string[] {
  return [...row(plan), String(plan.organizations)]
}

function row(plan: Plan): string[] {
  const { name, domains, mailboxes, sends_per_day, scheduled_messages } = plan
  const [storage = '', scheduled = ''] = [plan.storage_bytes, plan.scheduled_bytes].map(size)
  return [
    name,
    ...[domains, mailboxes].map(String),
    storage,
    ...[sends_per_day, scheduled_messages].map(String),
    scheduled,
  ]
}

/** In the largest unit that is exact. */
function size(octets: number): string {
  const units = ['', 'KiB', 'MiB', 'GiB', 'TiB']
  let at = 0
  let left = octets
  while (left > 0 && left % 1024 === 0 && at < units.length - 1) {
    left /= 1024
    at++
  }
  return `${left}${units[at] ?? ''}`
}
