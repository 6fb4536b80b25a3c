import type { Db } from '#/db/schema.ts'
import { notFound, Refusal } from '#/errors.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { Mailbox } from '#/mailboxes/mailbox.ts'
import { mailboxById } from '#/mailboxes/queries.ts'
import type { MailboxRef, MailHost, Stored } from '#/ports/mail-host.ts'
import { draftMessageId, draftNamed, foreignUid, keyOf } from './identity.ts'
import { sentAmong } from './sending/sent.ts'

interface Parts {
  readonly db: Db
  readonly mailHost: MailHost
}

/** A mailbox that has drafts. */
export interface DraftBox extends MailboxRef {
  readonly address: string
  readonly name: string
  readonly domain: string
}

/** A draft as it is stored. */
export interface Found {
  readonly box: DraftBox
  readonly key: string
  readonly uid: number
  /** All messages with its key, in ascending order: a process that died may have left older ones. */
  readonly uids: readonly number[]
  readonly stored: Stored
}

export function boxOf(organizationId: string, { id: mailboxId, address, name, domain }: Mailbox): DraftBox {
  return { organizationId, mailboxId, address, name, domain }
}

/** The draft with this id, which the caller may use at that level. @throws Refusal if there is none, if the caller may not, or
 *  if it has another version than the one that is known */
export async function findDraft(
  { db, mailHost }: Parts,
  caller: Caller,
  level: 'read' | 'send',
  { id, version }: { readonly id: string; readonly version?: number | undefined },
): Promise<Found> {
  const { mailboxId, key } = draftNamed(id)
  const mailbox = caller.may('read', mailboxId) && (await mailboxById(db, caller.organizationId, mailboxId))
  if (!mailbox || mailbox.kind === 'private') throw notFound('draft')
  caller.assertMay(level, mailbox)
  const box = boxOf(caller.organizationId, mailbox)
  const newest = await readNewest(mailHost, box, key)
  if (!newest || keyOf(newest.stored.summary, box.domain) !== key) throw notFound('draft')
  const { uid, uids, stored } = newest
  if ((await sentAmong(db, box, [uid])).has(`${key} ${uid}`)) throw notFound('draft')
  if (version !== undefined && version !== uid) throw stale(uid)
  return { box, key, uid, uids, stored }
}

/** How often to try if edits come between finding a draft's message and what is done with it. */
export const mostTries = 5

async function readNewest(
  mailHost: MailHost,
  box: DraftBox,
  key: string,
): Promise<Pick<Found, 'uid' | 'uids' | 'stored'> | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    const uids = await uidsOf(mailHost, box, key)
    const uid = uids.at(-1)
    if (uid === undefined) return undefined
    const stored = await mailHost.read(box, 'drafts', uid)
    if (stored) return { uid, uids, stored }
  }
  return undefined
}

async function uidsOf(mailHost: MailHost, box: DraftBox, key: string): Promise<readonly number[]> {
  const named = await mailHost.draftsNamed(box, draftMessageId(key, box.domain))
  const written = foreignUid(key)
  return named.length === 0 && written !== undefined && written > 0 ? [written] : named
}

/** The draft was edited meanwhile. */
export function stale(version?: number): Refusal {
  const now = version === undefined ? '' : `: its version is ${version}`
  return new Refusal('conflict', `The draft was changed meanwhile${now}`, {
    field: 'version',
    fix: 'Read it again, and decide which text to keep',
  })
}
