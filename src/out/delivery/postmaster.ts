import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { Refusal } from '#/base/errors.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { compose } from '#/out/compose/compose.ts'
import { signed } from '#/out/compose/sign.ts'
import { enqueue } from '#/out/queue/enqueue.ts'
import type { Blind } from '#/out/queue/sealed.ts'
import type { Relay } from '#/out/relay/relay.ts'
import { claimAllowance } from '#/out/sending/allowance.ts'
import { routed } from './local.ts'

export interface PostmasterDependencies {
  readonly db: Db
  readonly relay: Pick<Relay, 'routeOf'>
  readonly time: SharedTime
  readonly signingKeys: SigningKeys
  /** The key that seals queued mail. */
  readonly mailKey: SealingKey
  readonly blind: Blind
}

/** A message that Mailroom itself writes. */
export interface Letter {
  readonly to: { readonly name: string; readonly email: string }
  readonly subject: string
  readonly paragraphs: readonly string[]
}

/** The sender of Mailroom's own messages in an organization: `postmaster@` of its first domain that can send. */
export interface Postmaster {
  /** The organization's name. */
  readonly organization: string
  /** All domains that the organization has verified. */
  readonly domains: ReadonlySet<string>
  /** Enqueues a message in `tx`, and answers whether it did. It has the null sender, so that no bounce comes back, and
   *  counts for the day's allowance. */
  send(tx: Tx, letter: Letter): Promise<boolean>
}

/** Finds, outside any transaction, the sender and the signing keys for mail of the organization. Undefined if none of its
 *  domains can send. */
export async function postmasterOf(
  { db, relay, time, signingKeys, mailKey, blind }: PostmasterDependencies,
  organizationId: string,
): Promise<Postmaster | undefined> {
  const found = await domainsOf(db, organizationId)
  const home = found.find(({ sends }) => sends)
  if (!home) return undefined
  const keys = await signingKeys(organizationId, home.domain)
  return {
    organization: home.organization,
    domains: new Set(found.map(({ domain }) => domain)),
    send: async (tx, letter) => {
      const recipient = canonicalAddress(letter.to.email)
      if (recipient === undefined || !(await isWithinAllowance(tx, organizationId))) return false
      const now = await time(tx)
      const id = randomUUID()
      const composed = await written(home, letter, { messageId: `<${id}@${home.domain}>`, date: now })
      const raw = await signed(composed, keys, now)
      const recipients = await routed(tx, { relay, blind }, organizationId, [recipient])
      const message = { id, organizationId, mailboxId: null, kind: 'notice', sender: '', raw, recipients } as const
      await enqueue(tx, mailKey, message, now)
      return true
    },
  }
}

interface Home {
  readonly domain: string
  readonly organization: string
  /** It is not suspended, and mail to `postmaster@` has a recipient. */
  readonly sends: boolean
}

/** The domains that an organization has verified, oldest first. */
async function domainsOf(db: Db, organizationId: string): Promise<Home[]> {
  const { rows } = await sql<Home>`
    select domain.domain, organization.name as organization, domain.suspended_at is null and exists (
      select from addresses
      where organization_id = domain.organization_id and address = 'postmaster@' || domain.domain
    ) as sends
    from domains domain join organizations organization on organization.id = domain.organization_id
    where domain.organization_id = ${organizationId} and domain.status = 'verified'
    order by domain.created_at, domain.id`.execute(db)
  return rows
}

async function isWithinAllowance(tx: Tx, organizationId: string): Promise<boolean> {
  try {
    await claimAllowance(tx, organizationId, 1)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'quota_exceeded') return false
    throw error
  }
}

async function written(
  { domain, organization }: Home,
  { to, subject, paragraphs }: Letter,
  identity: { readonly messageId: string; readonly date: Date },
): Promise<Buffer> {
  const composed = await compose(
    {
      from: { name: organization, address: `postmaster@${domain}` },
      to: [{ name: to.name, address: to.email }],
      ...{ cc: [], bcc: [], replyTo: [], inReplyTo: [], references: [], attachments: [], html: null },
      ...{ subject, text: `${paragraphs.join('\n\n')}\n` },
    },
    identity,
  )
  return Buffer.concat([Buffer.from('Auto-Submitted: auto-generated\r\n'), composed])
}
