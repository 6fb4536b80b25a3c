import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import type { Certificate } from '#/formats/openpgp/openpgp.ts'
import { makeStandardFolders } from '#/mail/store/folders.ts'
import { type Mailbox, mailboxName, newLocalPart, recordedMailbox, requiredAliases } from './mailbox.ts'
import { type DomainNamed, domainForAddresses, insertAliases, insertMailbox, isTaken, mailboxById } from './queries.ts'

export interface NewMailbox {
  readonly organizationId: string
  readonly domain: DomainNamed
  readonly localPart: string
  readonly name?: string
  /** Makes it Private: mail is encrypted to this certificate before it is stored. */
  readonly certificate?: Certificate
  /** From `hashPassword`. Without it nobody can log in. */
  readonly passwordHash?: string
}

/**
 * Creates a mailbox with its folders on a verified domain of the organization. If no mailbox of the domain has postmaster@ and
 * abuse@, it gets them. It belongs to the member with that address, if there is one. Over the plan's cap the database fails
 * with SQLSTATE PC402.
 */
export async function createMailbox(tx: Tx, wanted: NewMailbox, by: Actor): Promise<Mailbox> {
  const { organizationId, certificate, passwordHash = null } = wanted
  const localPart = newLocalPart(wanted.localPart)
  const domain = await domainForAddresses(tx, organizationId, wanted.domain)
  if (!domain) throw notFound('domain')
  const field = typeof wanted.domain === 'string' ? 'domain' : 'domain_id'
  if (domain.status !== 'verified') throw invalid(field, `${domain.domain} is not verified yet`)
  if (domain.suspended) throw invalid(field, `${domain.domain} is suspended`)
  const address = `${localPart}@${domain.domain}`
  if (await isTaken(tx, organizationId, address)) throw invalid('local_part', `${address} exists already`)
  const mailboxId = await insertMailbox(tx, {
    organizationId,
    domainId: domain.id,
    address,
    localPart,
    name: mailboxName(wanted.name ?? ''),
    certificate,
    passwordHash,
  })
  const mailbox = { organizationId, mailboxId }
  await insertAliases(
    tx,
    mailbox,
    requiredAliases.map((name) => `${name}@${domain.domain}`),
  )
  await makeStandardFolders(tx, mailbox)
  const created = await mailboxById(tx, organizationId, mailboxId)
  if (!created) throw new Error('The mailbox was just created')
  const after = recordedMailbox(created)
  await record(tx, by, { organizationId, action: 'mailbox.created', id: mailboxId, name: address, before: null, after })
  return created
}
