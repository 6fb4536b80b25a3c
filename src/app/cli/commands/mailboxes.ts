import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { chosenPassword, hashPassword, importedHash, isHashed, newPassword } from '#/base/secrets/password.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { changePassword, suspendMailbox } from '#/mail/mailboxes/change.ts'
import { type KnownMailbox, knownMailboxes } from '#/mail/mailboxes/operator-queries.ts'
import { removeMailbox } from '#/mail/mailboxes/remove.ts'
import { present } from '#/mail/mailboxes/schemas.ts'
import { folderStatuses } from '#/mail/store/folders.ts'
import { storageOf } from '#/mail/store/storage.ts'
import { organizationOption } from '#/people/organizations/register.ts'
import { command, type Operator } from '../command.ts'
import { grouped, minute, table } from '../table.ts'
import { suspensionText } from './suspension-text.ts'

/** The option that names the organization of an address. */
export const org = { value: 'NAME', help: 'The organization, where several have had the address' } as const

export const mailboxCommands = [
  command({
    name: 'mailbox list',
    summary: 'List mailboxes, with the mail that they keep',
    operands: [],
    options: { org: { value: 'NAME', help: 'Those of one organization' } },
    run: async (operator, { org }) => {
      const { db } = operator.database
      const only = await organizationOption(db, org)
      const data = await shown(operator, await knownMailboxes(db, { organizationId: only }))
      const headings = ['ADDRESS', 'NAME', 'ORGANIZATION', 'KIND', 'STATE', 'MIB', 'CREATED', 'ID']
      return { value: { data }, text: table(headings, data.map(row), 'No mailboxes yet.') }
    },
  }),
  command({
    name: 'mailbox suspend',
    summary: 'Suspend a mailbox: it accepts and sends no mail; existing mail can be read',
    operands: ['address'],
    options: { org },
    run: (operator, given) => suspension(operator, given, true),
  }),
  command({
    name: 'mailbox resume',
    summary: 'End the suspension of a mailbox',
    operands: ['address'],
    options: { org },
    run: (operator, given) => suspension(operator, given, false),
  }),
  command({
    name: 'mailbox password',
    summary: 'Set the password of a mailbox and end its sessions of mail programs',
    operands: ['address'],
    options: {
      org,
      password: {
        value: '-',
        help: 'Read the password from standard input, or its hash as {ARGON2ID}…; otherwise one is generated and shown',
        fromInput: true,
      },
    },
    run: async (operator, { password: given, ...named }) => {
      const { db } = operator.database
      const { organizationId, id, address } = await mailboxGiven(db, named)
      const imported = given !== undefined && isHashed(given)
      const password = given === undefined ? newPassword() : imported ? '' : chosenPassword(given)
      const hash = imported
        ? importedHash(given)
        : await hashPassword(password, { organization: organizationId, key: '' })
      const mailbox = { organizationId, mailboxId: id }
      await db.transaction().execute((tx) => changePassword(tx, mailbox, hash, byOperator))
      const made = given === undefined ? { password } : {}
      const done = `This is the password of ${address} now, shown this once.`
      const text = given === undefined ? `${password}\n${done}` : `The password of ${address} is set.`
      return { value: { id, address, ...made }, text }
    },
  }),
  command({
    name: 'mailbox delete',
    summary: 'Delete a mailbox and all its mail permanently',
    operands: ['address'],
    options: { org },
    run: async (operator, given, onProgress) => {
      const { db } = operator.database
      const mailbox = await mailboxGiven(db, given)
      const { organizationId, id: mailboxId, address } = mailbox
      const folders = await folderStatuses(db, { organizationId, mailboxId })
      const total = folders.reduce((sum, folder) => sum + folder.total, 0)
      let deleted = 0
      await removeMailbox({ db }, { organizationId, mailboxId }, byOperator, (gone) => {
        deleted = gone
        onProgress(`Deleted ${grouped(gone)} of ${grouped(total)} messages in ${address}`)
      })
      const value = { deleted: true, id: mailboxId, address, messages: deleted }
      const text = `Deleted ${address} and its ${grouped(deleted)} message${deleted === 1 ? '' : 's'}.`
      return { value, text }
    },
  }),
]

async function suspension(operator: Operator, given: { address: string; org: string | undefined }, suspended: boolean) {
  const { db } = operator.database
  const mailbox = await mailboxGiven(db, given)
  const ref = { organizationId: mailbox.organizationId, mailboxId: mailbox.id }
  await db.transaction().execute((tx) => suspendMailbox(tx, ref, suspended, byOperator))
  const [value] = await shown(operator, [{ ...mailbox, suspended }])
  return { value, text: suspensionText(mailbox.address, mailbox.suspended, suspended) }
}

export async function mailboxGiven(
  db: Db,
  { address: given, org }: { address: string; org: string | undefined },
): Promise<KnownMailbox> {
  const only = await organizationOption(db, org)
  const address = canonicalAddress(given)
  const meant = address === undefined ? [] : await knownMailboxes(db, { address, organizationId: only })
  const [mailbox, ...others] = meant
  if (!mailbox) throw invalid('address', `No mailbox "${given}"`, '`mailroom mailbox list` lists them')
  if (others.length > 0)
    throw invalid('address', `${meant.length} organizations have a mailbox ${mailbox.address}`, 'Name one with --org')
  return mailbox
}

async function shown({ database: { db } }: Operator, mailboxes: readonly KnownMailbox[]) {
  const refs = mailboxes.map(({ organizationId, id }) => ({ organizationId, mailboxId: id }))
  const used = await storageOf(db, refs)
  return mailboxes.map(({ organizationId: _, ...mailbox }) => ({
    ...present(mailbox, used.get(mailbox.id) ?? 0),
    organization: mailbox.organization,
  }))
}

function row(mailbox: Awaited<ReturnType<typeof shown>>[number]): string[] {
  const { address, name, organization, kind, suspended, storage_used_bytes, created_at, id } = mailbox
  const state = suspended ? 'suspended' : 'open'
  const mebibytes = (storage_used_bytes / 2 ** 20).toFixed(1)
  return [address, name || '-', organization, kind, state, mebibytes, minute(new Date(created_at)), id]
}
