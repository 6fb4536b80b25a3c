import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { levels } from '#/http/access/caller.ts'
import { endAccess, giveAccess } from '#/mail/mailboxes/access/access.ts'
import { accessOf } from '#/mail/mailboxes/access/queries.ts'
import { memberNamed } from '#/people/members/members.ts'
import { command } from '../command.ts'
import { minute, table } from '../table.ts'
import { mailboxGiven, org } from './mailboxes.ts'

const member = { value: 'ADDRESS', help: "The member's e-mail address or id", required: true } as const

export const mailboxAccessCommands = [
  command({
    name: 'mailbox access',
    summary: 'List who may use a mailbox in their sessions',
    operands: ['address'],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const { organizationId, id: mailboxId, address } = await mailboxGiven(db, given)
      const data = await accessOf(db, { organizationId, mailboxId })
      const rows = data.map(({ email, name, level, given_at, member_id }) => [
        ...[email, name || '-', level, given_at ? minute(given_at) : '-', member_id],
      ])
      const none = `${address} is no member's own mailbox, and not shared.`
      return { value: { data }, text: table(['MEMBER', 'NAME', 'LEVEL', 'SINCE', 'ID'], rows, none) }
    },
  }),
  command({
    name: 'mailbox share',
    summary: 'Share a mailbox with a member, or change the level',
    operands: ['address'],
    options: { org, member, level: { value: 'LEVEL', help: `${levels.join(', ')}: each more than the one before` } },
    run: async ({ database: { db } }, { level: given = 'read', ...named }) => {
      const level = levels.find((one) => one === given)
      if (!level) throw invalid('level', `--level must be one of ${levels.join(', ')}`)
      const { sharing, address, email } = await sharingGiven(db, named)
      await db.transaction().execute((tx) => giveAccess(tx, sharing, level))
      const value = { address, member_id: sharing.memberId, email, level }
      return { value, text: `${email} may use ${address} at the level ${level}.` }
    },
  }),
  command({
    name: 'mailbox unshare',
    summary: 'End a member’s access to a mailbox that is shared with them',
    operands: ['address'],
    options: { org, member },
    run: async ({ database: { db } }, given) => {
      const { sharing, address, email } = await sharingGiven(db, given)
      await db.transaction().execute((tx) => endAccess(tx, sharing))
      const value = { removed: true, address, member_id: sharing.memberId, email }
      return { value, text: `${address} is not shared with ${email} any more.` }
    },
  }),
]

async function sharingGiven(db: Db, given: { address: string; org: string | undefined; member: string }) {
  const { organizationId, id: mailboxId, address } = await mailboxGiven(db, given)
  const { id: memberId, email } = await memberNamed(db, organizationId, given.member)
  const mailbox = { organizationId, mailboxId }
  return { sharing: { mailbox, memberId, shares: 'all' as const, by: byOperator }, address, email }
}
