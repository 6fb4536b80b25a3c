import type { Db } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { cursorText } from '#/base/event-log/cursor.ts'
import type { LoggedEvent } from '#/base/event-log/log.ts'
import { type EventType, eventTypes, type MessageData } from '#/base/event-log/types.ts'
import { publicId } from '#/base/text/message-id.ts'
import type { Identity } from '#/http/access/authorize.ts'
import type { Scope } from '#/http/access/scopes.ts'
import { visibleKeywords } from '#/mail/messages/queries.ts'
import type { ConversationNames } from '#/mail/threads/message-ids.ts'
import type { EventOut } from './schemas.ts'

/** The scope that a reader needs for each type in addition to `events:read`: that of its data. */
const scopeOf: Readonly<Record<EventType, Scope>> = {
  'message.received': 'messages:read',
  'message.refused': 'messages:read',
  'message.changed': 'messages:read',
  'message.deleted': 'messages:read',
  'message.queued': 'messages:read',
  'message.delivered': 'messages:read',
  'message.deferred': 'messages:read',
  'message.bounced': 'messages:read',
  'message.complained': 'messages:read',
  'scheduled.created': 'scheduled:read',
  'scheduled.changed': 'scheduled:read',
  'scheduled.sent': 'scheduled:read',
  'scheduled.failed': 'scheduled:read',
  'scheduled.cancelled': 'scheduled:read',
  'approval.created': 'sending:approve',
  'approval.changed': 'sending:draft',
  'auto_reply.sent': 'forwarding:read',
  'label.created': 'labels:read',
  'label.changed': 'labels:read',
  'label.deleted': 'labels:read',
  'filter.created': 'filters:read',
  'filter.changed': 'filters:read',
  'filter.deleted': 'filters:read',
  'block.created': 'filters:read',
  'block.deleted': 'filters:read',
  'mailbox.created': 'mailboxes:read',
  'mailbox.changed': 'mailboxes:read',
  'mailbox.deleted': 'mailboxes:read',
  'forwarding.paused': 'forwarding:read',
  'webhook.paused': 'webhooks:read',
  'quota.reached': 'usage:read',
}

/** The types of these names, each a type or the first word of several. @throws Refusal */
export function typesNamed(names: readonly string[], field: string): ReadonlySet<EventType> {
  const named = names.map((name) => {
    const types = eventTypes.filter((type) => type === name || type.split('.')[0] === name)
    if (types.length === 0) throw invalid(field, `No type of event is ${JSON.stringify(name)}`)
    return types
  })
  return new Set(named.flat())
}

/** @throws Refusal if a reader names types without having their scope */
export function assertMayReceive(identity: Identity | undefined, types: ReadonlySet<EventType> = new Set()): void {
  const lacking = [...types].map((type) => scopeOf[type]).find((scope) => !identity?.scopes.has(scope))
  if (lacking) throw new Refusal('forbidden', `types: the key or member lacks the scope ${lacking}`)
}

/** What a reader requests. */
export interface EventSelection {
  readonly types: ReadonlySet<EventType> | undefined
  readonly mailboxId: string | undefined
}

const ofAll: ReadonlySet<EventType> = new Set(['message.refused', 'webhook.paused'])

/** Whether a reader sees an event, by its scope and mailbox. Events about a mailbox as such are for those who manage it,
 *  others for those who read its mail. */
function isVisible({ type, mailboxId }: LoggedEvent, { caller, scopes }: Identity, wanted: EventSelection): boolean {
  if (!scopes.has(scopeOf[type]) || wanted.types?.has(type) === false) return false
  if (wanted.mailboxId !== undefined && mailboxId !== wanted.mailboxId) return false
  // Mail to an unknown address, or another's webhook, concerns those who manage all mailboxes. A quota covers all
  // mailboxes.
  if (mailboxId === null && ofAll.has(type)) return caller.managesAllMailboxes
  if (mailboxId === null) return type !== 'quota.reached' || caller.seesWholeUsage
  return caller.may('read', mailboxId) || (type.startsWith('mailbox.') && caller.managesAllMailboxes)
}

/** Finds the conversations of messages. */
export type Names = Pick<ConversationNames, 'ofPage'>

/** An event as a reader sees it. */
export interface Shown {
  readonly event: LoggedEvent
  readonly out: EventOut
}

/** The events that a reader sees. Labels of other members are left out, and changes of nothing else. */
export async function visibleEvents(
  db: Db,
  identity: Identity,
  wanted: EventSelection,
  events: readonly LoggedEvent[],
): Promise<Shown[]> {
  const visible = events.filter((event) => isVisible(event, identity, wanted))
  const keywords = new Set(visible.flatMap(({ data }) => ('folder' in data ? keywordsOf(data) : [])))
  const known = await visibleKeywords(db, identity.caller, [...keywords])
  return visible.flatMap((event) => {
    const out = presentEvent(event, known)
    return out ? [{ event, out }] : []
  })
}

const conversations = new WeakMap<readonly LoggedEvent[], Promise<ReadonlyMap<LoggedEvent, string | null>>>()

/** The same with the conversations that their messages are in now, as the indexes in memory know them: what stores a message does not look
 *  for its conversation. Readers of one page look once for those of all. */
export async function shownEvents(
  { db, names }: { readonly db: Db; readonly names: Names },
  identity: Identity,
  wanted: EventSelection,
  page: readonly LoggedEvent[],
): Promise<Shown[]> {
  const shown = await visibleEvents(db, identity, wanted, page)
  if (!shown.some(({ event: { place } }) => place)) return shown
  const found = conversations.get(page) ?? conversationsOf(names, identity.caller.organizationId, page)
  conversations.set(page, found)
  const ids = await found
  for (const { event, out } of shown) if ('message' in out) out.message.conversation_id = ids.get(event) ?? null
  return shown
}

async function conversationsOf(names: Names, organizationId: string, events: readonly LoggedEvent[]) {
  const placed = events.flatMap((event) => {
    const { mailboxId, place } = event
    return mailboxId && place ? [{ mailbox: { organizationId, mailboxId }, ...place, event }] : []
  })
  const ids = await names.ofPage(placed)
  return new Map(placed.map(({ event }, at) => [event, ids[at]?.conversation_id ?? null]))
}

function keywordsOf({ added_labels = [], removed_labels = [] }: Partial<MessageData>): string[] {
  return [...added_labels, ...removed_labels]
}

/** Undefined if the reader sees no part of it. */
function presentEvent(event: LoggedEvent, known: ReadonlySet<string>): EventOut | undefined {
  const { type, at, address, by, data, subject, from_name, from_address } = event
  const common = { id: cursorText(event), type, at: at.toISOString(), mailbox: address, by }
  // An event is written with the data that belongs to its type.
  const having = (subject: object) => ({ ...common, ...subject }) as EventOut
  if ('sent' in data) {
    const { sent: id, ...more } = data
    return having({ sending: { id, ...more } })
  }
  if ('quota' in data) return having({ quota: data })
  if ('because' in data) return having({ refusal: data })
  if (!('folder' in data)) return having({ item: data })
  const { id, moved_from, added_labels = [], removed_labels = [], folder, uid, ...flags } = data
  const [added, removed] = [added_labels, removed_labels].map((of) => of.filter((keyword) => known.has(keyword)))
  const labels = { ...(added?.length && { added_labels: added }), ...(removed?.length && { removed_labels: removed }) }
  const isHidden = keywordsOf(data).length > 0 && keywordsOf(labels).length === 0
  if (isHidden && !moved_from && Object.keys(flags).length === 0) return undefined
  const from = from_address === null ? null : { name: from_name ?? '', address: from_address }
  const moved = moved_from && { moved_from: { ...moved_from, id: publicId(moved_from.id) } }
  return having({
    message: { id: publicId(id), folder, uid, ...moved, ...flags, ...labels, subject, from, conversation_id: null },
  })
}
