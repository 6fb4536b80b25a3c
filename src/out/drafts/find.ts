import type { Db } from '#/base/db/schema.ts'
import { notFound, Refusal } from '#/base/errors.ts'
import type { Caller } from '#/http/access/caller.ts'
import type { Scope } from '#/http/access/scopes.ts'
import type { Mailbox } from '#/mail/mailboxes/mailbox.ts'
import { mailboxById } from '#/mail/mailboxes/queries.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { readStored, type Stored, type Summary } from '#/mail/store/read.ts'
import { isAskedFor } from './approvals/approvals.ts'
import { draftMessageId, draftNamed, foreignKey, foreignUid } from './identity.ts'
import { forgetMade, madeAmong, madeOf } from './made.ts'
import { sentAmong } from './sending/sent.ts'

interface Dependencies {
  readonly db: Db
}

/** A mailbox that has drafts. */
export interface DraftBox extends MailboxRef {
  readonly address: string
  readonly name: string
  readonly domain: string
}

/** Who asks for a draft. */
export interface Asker {
  readonly caller: Caller
  readonly scopes: ReadonlySet<Scope>
}

/** A draft as it is stored. */
export interface Found {
  readonly box: DraftBox
  readonly key: string
  readonly uid: number
  /** All messages with its key, in ascending order: a process that died may have left older ones. */
  readonly uids: readonly number[]
  /** Whether Mailroom made it. If not, another program did, or it was moved into the folder: it is mail. */
  readonly isOurs: boolean
  readonly stored: Stored
}

export function boxOf(organizationId: string, { id: mailboxId, address, name, domain }: Mailbox): DraftBox {
  return { organizationId, mailboxId, address, name, domain }
}

/** The draft with this id, which the caller may use at that level. @throws Refusal if there is none, if the caller may not, or
 *  if it has another version than the one that is known */
export async function findDraft(
  { db }: Dependencies,
  { caller, scopes }: Asker,
  level: 'read' | 'send',
  { id, version }: { readonly id: string; readonly version?: number | undefined },
): Promise<Found> {
  const { mailboxId, key } = draftNamed(id)
  const mailbox = caller.may('read', mailboxId) && (await mailboxById(db, caller.organizationId, mailboxId))
  if (!mailbox || mailbox.kind === 'private') throw notFound('draft')
  caller.assertMay(level, mailbox)
  const box = boxOf(caller.organizationId, mailbox)
  const newest = await readNewest({ db }, box, key)
  if (!newest) throw notFound('draft')
  const { uid, isOurs } = newest
  const mayRead = isOurs || scopes.has('messages:read') || (await isAskedFor(db, box, { key, uid }))
  if (!mayRead || (await sentAmong(db, box, [uid])).has(`${key} ${uid}`)) throw notFound('draft')
  if (version !== undefined && version !== uid) throw stale(uid)
  return { box, key, ...newest }
}

/** How often to try if edits come between finding a draft's message and what is done with it. */
export const mostTries = 5

type Newest = Pick<Found, 'uid' | 'uids' | 'isOurs' | 'stored'>

async function readNewest({ db }: Dependencies, box: DraftBox, key: string): Promise<Newest | undefined> {
  let before: number | undefined
  for (let tries = 0; tries < mostTries; tries++) {
    const uids = await madeOf(db, box, key)
    const uid = uids.at(-1)
    if (uid === undefined) return await readForeign({ db }, box, key)
    const stored = await readStored(db, box, 'drafts', uid)
    // In a folder that was created again the uid may be another message's.
    if (stored?.summary.messageId === draftMessageId(key, box.domain)) return { uid, uids, isOurs: true, stored }
    if (stored || before === uid) {
      await forgetMade(db, box, [uid])
      continue
    }
    // An edit may have replaced it since.
    before = uid
  }
  return undefined
}

async function readForeign({ db }: Dependencies, box: DraftBox, key: string): Promise<Newest | undefined> {
  const uid = foreignUid(key) ?? 0
  const stored = uid > 0 ? await readStored(db, box, 'drafts', uid) : undefined
  if (!stored || foreignKey(stored.summary) !== key || (await madeAmong(db, box, [uid])).has(uid)) return undefined
  return { uid, uids: [uid], isOurs: false, stored }
}

/** The keys of messages in the folder, by uid, of those that the caller may read. */
export async function keysOf(
  db: Db,
  { scopes }: Pick<Asker, 'scopes'>,
  box: DraftBox,
  messages: readonly Summary[],
): Promise<ReadonlyMap<number, string>> {
  const uids = messages.map(({ uid }) => uid)
  const made = await madeAmong(db, box, uids)
  return new Map(
    messages.flatMap((summary) => {
      const key = made.get(summary.uid)
      if (key !== undefined && summary.messageId === draftMessageId(key, box.domain)) return [[summary.uid, key]]
      return scopes.has('messages:read') ? [[summary.uid, foreignKey(summary)]] : []
    }),
  )
}

/** The draft was edited meanwhile. */
export function stale(version?: number): Refusal {
  const now = version === undefined ? '' : `: its version is ${version}`
  return new Refusal('conflict', `The draft was changed meanwhile${now}`, {
    field: 'version',
    fix: 'Read it again, and decide which text to keep',
  })
}
