import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import { Refusal } from '#/errors.ts'
import { canonicalAddress, splitAddress } from '#/mime/address.ts'
import type { Relay } from '#/ports/relay.ts'
import { enqueue } from '#/queue/enqueue.ts'
import type { Blind } from '#/queue/sealed.ts'
import type { SealingKey } from '#/secrets/seal.ts'
import { claimAllowance } from '#/sending/allowance.ts'
import type { SignInLink } from '#/sessions/link.ts'
import type { Invited, LinkMail } from '#/sessions/link-mail.ts'
import { compose } from './compose/compose.ts'
import { signed } from './compose/sign.ts'
import { routed } from './worker/local.ts'

export interface LinkMailDependencies {
  readonly db: Db
  readonly relay: Pick<Relay, 'routeOf'>
  readonly time: SharedTime
  readonly signingKeys: SigningKeys
  /** Seals what waits. */
  readonly mailKey: SealingKey
  readonly blind: Blind
  /** The origin under which members reach the service; undefined if not configured. */
  readonly publicUrl: string | undefined
  wake(): void
}

/**
 * Mails sign-in links, from `postmaster@` of the organization's first domain that can send. It has the null sender: a bounce would
 * bring the link to whoever reads postmaster's mail. For the same reason no link goes to a domain of the organization, where API
 * keys, and members with whom a mailbox is shared, would read it. Without a public URL only the request says where the service
 * is, which is not good enough for a link that somebody else follows.
 */
export function linkMail({ wake, ...deps }: LinkMailDependencies): LinkMail {
  const { db, publicUrl, signingKeys } = deps
  const none = async () => false
  return {
    wake,
    from: async (organizationId) => {
      const domains = publicUrl === undefined ? [] : await domainsOf(db, organizationId)
      const home = domains.find(({ sends }) => sends)
      if (!home) return none
      const keys = await signingKeys(organizationId, home.domain)
      const own = new Set(domains.map(({ domain }) => domain))
      return async (tx, to, made) => {
        const recipient = canonicalAddress(to.email)
        if (recipient === undefined || own.has(splitAddress(recipient)?.domain ?? '')) return false
        if (!(await isWithinAllowance(tx, organizationId))) return false
        const { relay, time, mailKey, blind } = deps
        const now = await time(tx)
        const id = randomUUID()
        const composed = await invitation({ ...home, to, made }, { messageId: `<${id}@${home.domain}>`, date: now })
        const raw = await signed(composed, keys, now)
        const recipients = await routed(tx, { relay, blind }, organizationId, [recipient])
        const message = { id, organizationId, mailboxId: null, kind: 'notice', sender: '', raw, recipients } as const
        await enqueue(tx, mailKey, message, now)
        return true
      }
    },
  }
}

interface Home {
  readonly domain: string
  readonly organization: string
  /** It is not suspended, and somebody gets what is written to `postmaster@`. */
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

/** Who has used up the day's allowance passes the link on. */
async function isWithinAllowance(tx: Tx, organizationId: string): Promise<boolean> {
  try {
    await claimAllowance(tx, organizationId, 1)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'quota_exceeded') return false
    throw error
  }
}

async function invitation(
  { domain, organization, to, made }: Home & { readonly to: Invited; readonly made: SignInLink },
  identity: { readonly messageId: string; readonly date: Date },
): Promise<Buffer> {
  const text = [
    `You can sign in to the mail of ${organization} as ${to.email}:`,
    made.link,
    `The link works once, until ${made.expiresAt.toUTCString()}. Whoever has it signs in as you, so keep it to yourself.`,
    'If you did not expect this message, ignore it.',
  ]
  const composed = await compose(
    {
      from: { name: organization, address: `postmaster@${domain}` },
      to: [{ name: to.name, address: to.email }],
      ...{ cc: [], bcc: [], replyTo: [], inReplyTo: [], references: [], attachments: [], html: null },
      ...{ subject: `Sign in to ${organization}`, text: `${text.join('\n\n')}\n` },
    },
    identity,
  )
  return Buffer.concat([Buffer.from('Auto-Submitted: auto-generated\r\n'), composed])
}
