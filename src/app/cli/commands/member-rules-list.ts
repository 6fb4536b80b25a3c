import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { Refusal } from '#/base/errors.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import { normalized } from '#/base/text/unicode.ts'
import { removeLabel } from '#/mail/labels/catalogue.ts'
import { labelsOf } from '#/mail/labels/queries.ts'
import { memberNamed } from '#/people/members/members.ts'
import { organizationNamed } from '#/people/organizations/register.ts'
import { unblockSender } from '#/rules/blocked-senders/block.ts'
import { blockNamed } from '#/rules/blocked-senders/pattern.ts'
import { blockedSendersOf } from '#/rules/blocked-senders/queries.ts'
import { removeFilter } from '#/rules/filters/changes.ts'
import { filtersOf } from '#/rules/filters/queries.ts'
import { command } from '../command.ts'
import { minute, table } from '../table.ts'

export const whose = {
  org: { value: 'NAME', help: 'The organization', required: true },
  member: { value: 'ADDRESS', help: "The member's e-mail address or id", required: true },
} as const

/** Shows and removes members' own labels, filters and blocks, which no key can see. */
export const keptMemberRuleCommands = [
  command({
    name: 'member label list',
    summary: 'List the labels of a member’s own',
    operands: [],
    options: whose,
    run: async (operator, given) => {
      const data = await labelsOf(operator.database.db, await ownerGiven(operator, given))
      const rows = data.map(({ name, keyword, colour, created_at, id }) => [
        name,
        keyword,
        colour,
        minute(created_at),
        id,
      ])
      const none = `${given.member} has no labels of their own.`
      return { value: { data }, text: table(['NAME', 'KEYWORD', 'COLOUR', 'CREATED', 'ID'], rows, none) }
    },
  }),
  command({
    name: 'member label remove',
    summary: 'Remove a label of a member’s own, by name or id; its keyword stays on messages',
    operands: ['label'],
    options: whose,
    run: async (operator, given) => {
      const { db } = operator.database
      const owner = await ownerGiven(operator, given)
      const label = meant('label', await labelsOf(db, owner), given.label)
      const keyword = await db.transaction().execute((tx) => removeLabel(tx, owner, label.id, byOperator))
      invalidateRules(db, owner.organizationId)
      const text = `Removed the label "${label.name}" of ${given.member}; ${keyword} stays on messages.`
      return { value: { removed: true, ...label }, text }
    },
  }),
  command({
    name: 'member filter list',
    summary: 'List the filters of a member’s own, in the order in which they run',
    operands: [],
    options: whose,
    run: async (operator, given) => {
      const data = await filtersOf(operator.database.db, await ownerGiven(operator, given))
      const rows = data.map((one) => [
        ...[one.name, one.field, one.op, one.value, one.action, one.argument ?? '-'],
        ...[one.broken ?? (one.enabled ? 'on' : 'off'), one.id],
      ])
      const headings = ['NAME', 'FIELD', 'OP', 'VALUE', 'ACTION', 'ARGUMENT', 'STATE', 'ID']
      return { value: { data }, text: table(headings, rows, `${given.member} has no filters of their own.`) }
    },
  }),
  command({
    name: 'member filter remove',
    summary: 'Remove a filter of a member’s own, by name or id',
    operands: ['filter'],
    options: whose,
    run: async (operator, given) => {
      const { db } = operator.database
      const owner = await ownerGiven(operator, given)
      const filter = meant('filter', await filtersOf(db, owner), given.filter)
      await db.transaction().execute((tx) => removeFilter(tx, owner, filter.id, byOperator))
      invalidateRules(db, owner.organizationId)
      return { value: { removed: true, ...filter }, text: `Removed the filter "${filter.name}" of ${given.member}.` }
    },
  }),
  command({
    name: 'member block list',
    summary: 'List the senders that a member has blocked',
    operands: [],
    options: whose,
    run: async (operator, given) => {
      const data = await blockedSendersOf(operator.database.db, await ownerGiven(operator, given))
      const rows = data.map(({ pattern, created_at, id }) => [pattern, minute(created_at), id])
      return { value: { data }, text: table(['PATTERN', 'CREATED', 'ID'], rows, `${given.member} has blocked nobody.`) }
    },
  }),
  command({
    name: 'member block remove',
    summary: 'Unblock a sender for a member, by pattern or id',
    operands: ['pattern'],
    options: whose,
    run: async (operator, given) => {
      const { db } = operator.database
      const owner = await ownerGiven(operator, given)
      const named = blockNamed(given.pattern)
      const gone = await db.transaction().execute((tx) => unblockSender(tx, owner, named, byOperator))
      if (!gone) throw new Refusal('not_found', `${given.member} has not blocked "${given.pattern}"`)
      invalidateRules(db, owner.organizationId)
      return { value: { removed: true, ...gone }, text: `${given.member} no longer blocks ${gone.pattern}.` }
    },
  }),
]

export async function ownerGiven(
  { database: { db } }: { database: { db: Db } },
  given: { org: string; member: string },
): Promise<Owner & { memberId: string }> {
  const organization = await organizationNamed(db, given.org)
  const member = await memberNamed(db, organization.id, given.member)
  return { organizationId: organization.id, memberId: member.id }
}

/** By id, or by a unique name. */
function meant<Kept extends { id: string; name: string }>(what: string, all: readonly Kept[], given: string): Kept {
  const name = normalized(given.trim(), 'NFC').toLowerCase()
  const [one, ...others] = all.filter((each) => each.id === given.toLowerCase() || each.name.toLowerCase() === name)
  if (!one) throw new Refusal('not_found', `The member has no ${what} "${given}" of their own`)
  if (others.length > 0)
    throw new Refusal('invalid_request', `${others.length + 1} ${what}s are named "${one.name}"`, {
      fix: 'Give the id',
    })
  return one
}
