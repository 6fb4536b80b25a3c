import { byOperator } from '#/base/audit/actor.ts'
import { invalid } from '#/base/errors.ts'
import { invalidateRules } from '#/base/ownership/rule-cache.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { addAlias, aliasesOf, removeAlias } from '#/mail/mailboxes/aliases.ts'
import { organizationOption } from '#/people/organizations/register.ts'
import { command } from '../command.ts'
import { table } from '../table.ts'
import { mailboxGiven, org } from './mailboxes.ts'

export const aliasCommands = [
  command({
    name: 'mailbox alias list',
    summary: 'List aliases with their mailboxes',
    operands: [],
    options: { org: { value: 'NAME', help: 'Those of one organization' } },
    run: async ({ database: { db } }, { org }) => {
      const only = await organizationOption(db, org)
      const found = await aliasesOf(db, { organizationId: only })
      const data = found.map(({ alias, mailbox, organization }) => ({ alias, mailbox, organization }))
      const rows = data.map(({ alias, mailbox, organization }) => [alias, mailbox, organization])
      return { value: { data }, text: table(['ALIAS', 'MAILBOX', 'ORGANIZATION'], rows, 'No aliases yet.') }
    },
  }),
  command({
    name: 'mailbox alias add',
    summary: 'Add an alias to a mailbox',
    operands: ['address', 'alias'],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const { organizationId, id: mailboxId, address, organization } = await mailboxGiven(db, given)
      const added = await db
        .transaction()
        .execute((tx) => addAlias(tx, { organizationId, mailboxId }, given.alias, byOperator))
      invalidateRules(db, organizationId)
      const value = { alias: added.alias, mailbox: address, organization }
      return { value, text: `${added.alias} ${added.isNew ? 'is' : 'was before'} an alias of ${address}.` }
    },
  }),
  command({
    name: 'mailbox alias remove',
    summary: 'Remove an alias',
    operands: ['alias'],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const only = await organizationOption(db, given.org)
      const alias = canonicalAddress(given.alias)
      const found = alias === undefined ? [] : await aliasesOf(db, { alias, organizationId: only })
      const [one, ...others] = found
      if (!one) throw invalid('alias', `No alias "${given.alias}"`, '`mailroom mailbox alias list` lists them')
      if (others.length > 0)
        throw invalid('alias', `${found.length} organizations have the alias ${one.alias}`, 'Name one with --org')
      await db.transaction().execute((tx) => removeAlias(tx, one, one.alias, byOperator))
      invalidateRules(db, one.organizationId)
      const value = { removed: true, alias: one.alias, mailbox: one.mailbox, organization: one.organization }
      return { value, text: `${one.alias} is no alias of ${one.mailbox} any more.` }
    },
  }),
]
