import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Tx } from '#/base/db/schema.ts'
import { invalid, notFound } from '#/base/errors.ts'
import type { Domain } from './domain.ts'
import {
  deleteDomain,
  deleteKeys,
  domainById,
  insertDomain,
  lockDomain,
  mailboxesOn,
  restartFailed,
  setSuspended,
} from './queries.ts'

export interface NewDomain {
  readonly organizationId: string
  /** As `domainName` gives it. */
  readonly domain: string
  readonly now: Date
  /** Milliseconds from now. */
  readonly firstCheckAfter: number
}

/**
 * Enrols a domain, with a new token. Other organizations that have enrolled or proven it do not matter yet: the proof
 * decides. A failed enrolment is restarted in its place, since one with mailboxes cannot be removed.
 * Over the plan's cap the database refuses, with SQLSTATE PC402.
 */
export async function enrolDomain(
  tx: Tx,
  { organizationId, domain, now, firstCheckAfter }: NewDomain,
  by: Actor,
): Promise<Domain> {
  const enrolment = { domain, now, firstCheckAt: new Date(now.getTime() + firstCheckAfter) }
  const newId = await insertDomain(tx, organizationId, enrolment)
  const id = newId ?? (await restartFailed(tx, organizationId, enrolment))
  if (id === undefined) {
    throw invalid('domain', `${domain} is enrolled already`, 'GET /v1/domains shows it; remove it to enrol it anew')
  }
  await deleteKeys(tx, organizationId, id)
  const enrolled = await domainById(tx, organizationId, id)
  if (!enrolled) throw new Error('a domain that was just enrolled is there')
  const [before, after] = [newId === undefined ? { status: 'failed' } : null, { status: enrolled.standing.status }]
  await record(tx, by, { organizationId, action: 'domain.enrolled', id, name: domain, before, after })
  return enrolled
}

/** Removes an enrolment, with its token and keys, and answers its domain. */
export async function removeDomain(tx: Tx, organizationId: string, id: string, by: Actor): Promise<string> {
  const locked = await lockDomain(tx, organizationId, id)
  if (!locked) throw notFound('domain')
  const { domain, suspended, status } = locked
  // Enrolled again it would not be suspended any more.
  if (suspended) throw invalid('id', `${domain} is suspended`, 'Ask the operator, who has suspended it')
  const mailboxes = await mailboxesOn(tx, organizationId, id)
  if (mailboxes > 0) {
    throw invalid(
      'id',
      `${domain} has ${mailboxes === 1 ? 'a mailbox' : `${mailboxes} mailboxes`}`,
      'Delete its mailboxes first; the operator does so with `mailroom mailbox delete`',
    )
  }
  await deleteDomain(tx, organizationId, id)
  await record(tx, by, { organizationId, action: 'domain.removed', id, name: domain, before: { status }, after: null })
  return domain
}

/** Suspends a domain, or ends that. Answers whether it is suspended then, which one is whose organization is so too. */
export async function suspendDomain(
  tx: Tx,
  { organizationId, id, domain }: Pick<Domain, 'organizationId' | 'id' | 'domain'>,
  suspended: boolean,
  by: Actor,
): Promise<boolean> {
  const locked = await lockDomain(tx, organizationId, id)
  if (!locked) throw notFound('domain')
  const after = await setSuspended(tx, organizationId, id, suspended)
  await record(tx, by, {
    ...{ organizationId, action: suspended ? 'domain.suspended' : 'domain.resumed', id, name: domain },
    ...{ before: { suspended: locked.suspendedApart }, after: { suspended } },
  })
  return after
}
