import type { Tx } from '#/db/schema.ts'
import { invalid, notFound } from '#/errors.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { type Kind, type Mailbox, mailboxName, newLocalPart, requiredAliases } from './mailbox.ts'
import { domainForAddresses, insertAliases, insertMailbox, isTaken, mailboxById } from './queries.ts'

export interface NewMailbox {
  readonly organizationId: string
  /** In ASCII form and lower case. */
  readonly domain: string
  readonly localPart: string
  readonly name?: string
  readonly kind?: Kind
  /** An armored OpenPGP key, for a Private mailbox alone. */
  readonly publicKey?: string
}

/**
 * Makes a mailbox on a verified domain of the organization, with its folders. The first of a domain gets postmaster@ and
 * abuse@ too; so does the next one after the mailbox that had them went. Where a member has the address, it is theirs.
 * Over the plan's cap the database refuses, with SQLSTATE PC402.
 */
export async function createMailbox(tx: Tx, mailHost: MailHost, wanted: NewMailbox): Promise<Mailbox> {
  const { organizationId, kind = 'smart', publicKey = null } = wanted
  const localPart = newLocalPart(wanted.localPart)
  if ((kind === 'private') !== (publicKey !== null)) {
    throw invalid('public_key', 'public_key is needed for a Private mailbox, and only there')
  }
  const domain = await domainForAddresses(tx, organizationId, wanted.domain)
  if (!domain) throw notFound('domain')
  if (domain.status !== 'verified') throw invalid('domain', `${wanted.domain} is not verified yet`)
  if (domain.suspended) throw invalid('domain', `${wanted.domain} is suspended`)
  const address = `${localPart}@${wanted.domain}`
  if (await isTaken(tx, organizationId, address)) throw invalid('local_part', `${address} exists already`)
  const mailboxId = await insertMailbox(tx, {
    organizationId,
    domainId: domain.id,
    address,
    localPart,
    name: mailboxName(wanted.name ?? ''),
    kind,
    publicKey,
  })
  const mailbox = { organizationId, mailboxId }
  await insertAliases(
    tx,
    mailbox,
    requiredAliases.map((name) => `${name}@${wanted.domain}`),
  )
  await mailHost.open(tx, mailbox)
  const made = await mailboxById(tx, organizationId, mailboxId)
  if (!made) throw new Error('a mailbox that was just made is there')
  return made
}
