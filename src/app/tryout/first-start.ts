import { byService } from '#/base/audit/actor.ts'
import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { databaseTime } from '#/base/db/time.ts'
import { organizationItself } from '#/base/ownership/owner.ts'
import { hashPassword, newPassword } from '#/base/secrets/password.ts'
import type { DomainChecks } from '#/domains/checks/checks.ts'
import { enrolDomain } from '#/domains/enrol.ts'
import { tryoutDomain } from '#/domains/name.ts'
import { scopes } from '#/http/access/scopes.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { createKey } from '#/people/keys/keys.ts'
import { addMember } from '#/people/members/members.ts'
import { allOrganizations } from '#/people/organizations/queries.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { makeLink } from '#/people/sessions/invitation/link.ts'
import { addFilter } from '#/rules/filters/changes.ts'
import { sendSamples } from './send-samples.ts'

/** What the startup message shows of a try-out. */
export interface Tryout {
  readonly key: string
  readonly messages: number
  /** Signs its owner in, once. */
  readonly link: string
  /** Of ada's mailbox, for a mail program. */
  readonly password: string
}

interface Service {
  readonly db: Db
  readonly clock: Clock
  readonly smtp: { readonly host: string; readonly port: number }
  readonly domainChecks: DomainChecks
  /** The origin under which a browser reaches it. */
  readonly origin: string
}

/** Creates the try-out organization, and sends it mail over SMTP. Does nothing if there is an organization. */
export async function firstStart({ db, clock, smtp, domainChecks, origin }: Service): Promise<Tryout | undefined> {
  if ((await allOrganizations(db)).length > 0) return undefined
  const { id } = await createOrganization(db, { name: 'tryout', plan: 'team' }, byService)
  const ada = { organizationId: id, email: `ada@${tryoutDomain}`, name: 'Ada Lovelace', role: 'owner' }
  const { id: memberId } = await addMember(db, ada, byService)
  await enrol(db, id)
  await domainChecks.run()
  const password = newPassword()
  await addSamples(db, id, await hashPassword(password, { organization: id, key: '' }))
  const messages = await sendSamples(smtp)
  const { secret } = await createKey(db, id, { name: 'try-out', scopes, expiresAt: null }, clock.now(), byService)
  const owner = { organizationId: id, memberId }
  const { link } = await makeLink(db, owner, { base: origin, now: clock.now() })
  return { key: secret, messages, link, password }
}

/** The check is due at once: mailboxes need a verified domain. */
async function enrol(db: Db, organizationId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const now = await databaseTime(tx)
    await enrolDomain(tx, { organizationId, domain: tryoutDomain, now, firstCheckAfter: 0 }, byService)
  })
}

const labels = [
  { name: 'Customers', colour: 'green' },
  { name: 'Urgent', colour: 'red' },
  { name: 'Invoices', colour: 'amber' },
  { name: '茶 Tea', colour: '#7a9e3f' },
]

const filters = [
  {
    name: 'Customers',
    field: 'to',
    op: 'is',
    value: `support@${tryoutDomain}`,
    action: 'label',
    argument: 'customers',
  },
  { name: 'Urgent', field: 'subject', op: 'contains', value: 'urgent', action: 'label', argument: 'urgent' },
  { name: 'Urgent, star', field: 'subject', op: 'contains', value: 'urgent', action: 'star', argument: null },
  { name: 'Invoices', field: 'subject', op: 'contains', value: 'invoice', action: 'label', argument: 'invoices' },
  { name: 'Weekly', field: 'from', op: 'contains', value: 'newsletter@', action: 'move', argument: 'Newsletters' },
  { name: 'Weekly, read', field: 'from', op: 'contains', value: 'newsletter@', action: 'read', argument: null },
] as const

/** Ada's mailbox has a password, for a mail program. */
async function addSamples(db: Db, organizationId: string, passwordHash: string): Promise<void> {
  const owner = organizationItself(organizationId)
  await db.transaction().execute(async (tx) => {
    for (const mailbox of [
      { localPart: 'ada', name: 'Ada Lovelace', passwordHash },
      { localPart: 'support', name: 'Support' },
    ])
      await createMailbox(tx, { organizationId, domain: tryoutDomain, ...mailbox }, byService)
    for (const label of labels) await addLabel(tx, owner, label, byService)
    for (const filter of filters) await addFilter(tx, owner, { ...filter, enabled: true }, byService)
  })
}
