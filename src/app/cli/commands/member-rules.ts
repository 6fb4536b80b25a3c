import { byOperator } from '#/base/audit/actor.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import { defaultColour, labelColour, labelName } from '#/mail/labels/label.ts'
import { blockSender } from '#/rules/blocked-senders/block.ts'
import { blockPattern } from '#/rules/blocked-senders/pattern.ts'
import { addFilter } from '#/rules/filters/changes.ts'
import { actions, fields, filterName, filterValue, ops } from '#/rules/filters/filter.ts'
import { command, type Operator } from '../command.ts'
import { ownerGiven, whose } from './member-rules-list.ts'

/** Adds to members' own labels, filters and blocks, which no key can see. */
export const memberRuleCommands = [
  command({
    name: 'member label add',
    summary: 'Add a label of a member’s own',
    operands: ['name'],
    options: { ...whose, colour: { value: 'COLOUR', help: `#rrggbb or a name; ${defaultColour} without it` } },
    run: async (operator, given) => {
      const label = { name: labelName(given.name), colour: labelColour(given.colour ?? defaultColour) }
      const made = await forMember(operator, given, (tx, owner) => addLabel(tx, owner, label, byOperator))
      return { value: made, text: `Added the label "${made.name}", keyword ${made.keyword}, of ${given.member}.` }
    },
  }),
  command({
    name: 'member filter add',
    summary: 'Add a filter of a member’s own; it runs after the organization’s',
    operands: ['name'],
    options: {
      ...whose,
      field: { value: 'FIELD', help: fields.join(', '), required: true },
      op: { value: 'OP', help: ops.join(' or '), required: true },
      value: { value: 'TEXT', help: 'What to match', required: true },
      action: { value: 'ACTION', help: actions.join(', '), required: true },
      argument: { value: 'TEXT', help: 'The folder for move, the label for label' },
    },
    run: async (operator, given) => {
      const filter = {
        name: filterName(given.name),
        field: oneOf('field', fields, given.field),
        op: oneOf('op', ops, given.op),
        value: filterValue(given.value),
        action: oneOf('action', actions, given.action),
        argument: given.argument ?? null,
        enabled: true,
      }
      const made = await forMember(operator, given, (tx, owner) => addFilter(tx, owner, filter, byOperator))
      return { value: made, text: `Added the filter "${made.name}" of ${given.member}.` }
    },
  }),
  command({
    name: 'member block add',
    summary: 'Block an address, or a domain as @example.com, for a member alone',
    operands: ['pattern'],
    options: whose,
    run: async (operator, given) => {
      const pattern = blockPattern(given.pattern)
      const { blocked, isNew } = await forMember(operator, given, (tx, owner) =>
        blockSender(tx, owner, pattern, byOperator),
      )
      const text = isNew ? `Blocked ${blocked.pattern} for ${given.member}.` : `${blocked.pattern} was blocked before.`
      return { value: blocked, text }
    },
  }),
]

async function forMember<T>(
  operator: Operator,
  given: { org: string; member: string },
  change: (tx: Tx, owner: Owner) => Promise<T>,
): Promise<T> {
  const { db } = operator.database
  const owner = await ownerGiven(operator, given)
  const made = await db.transaction().execute((tx) => change(tx, owner))
  invalidateRules(db, owner.organizationId)
  return made
}

function oneOf<const Word extends string>(name: string, words: readonly Word[], given: string): Word {
  const word = words.find((one) => one === given)
  if (word === undefined) throw invalid(name, `--${name} must be one of ${words.join(', ')}`)
  return word
}
