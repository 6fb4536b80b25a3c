import type { Db } from '#/db/schema.ts'
import { cursorText } from '#/events/cursor.ts'
import type { LoggedEvent } from '#/events/log.ts'
import type { EventType, MessageData } from '#/events/types.ts'
import type { Identity } from '#/http/authorize.ts'
import type { Scope } from '#/http/scopes.ts'
import { visibleKeywords } from '#/messages/queries.ts'
import type { EventOut } from './schemas.ts'

/** The scope that a reader needs for each type besides `events:read`: that of what it tells. */
export const scopeOf: Readonly<Record<EventType, Scope>> = {
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
  'scheduled.sent': 'scheduled:read',
  'scheduled.failed': 'scheduled:read',
  'scheduled.cancelled': 'scheduled:read',
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
}

/** What a reader asks for. */
export interface Wanted {
  readonly types: ReadonlySet<EventType> | undefined
  readonly mailboxId: string | undefined
}

/** Whether an event exists for whoever reads: by its scope, and by the mailbox that it is about. A mailbox event is seen by
 *  who manages the mailbox, any other by who reads its mail. */
function isVisible({ type, mailboxId }: LoggedEvent, { caller, scopes }: Identity, wanted: Wanted): boolean {
  if (!scopes.has(scopeOf[type]) || wanted.types?.has(type) === false) return false
  if (wanted.mailboxId !== undefined && mailboxId !== wanted.mailboxId) return false
  // To an address that nobody has: it is for who manages all that there are.
  if (mailboxId === null) return type !== 'message.refused' || caller.managesAllMailboxes
  return caller.may('read', mailboxId) || (type.startsWith('mailbox.') && caller.managesAllMailboxes)
}

/** An event as a reader sees it. */
interface Shown {
  readonly event: LoggedEvent
  readonly out: EventOut
}

/** Those of the events that exist for whoever reads. Labels of other members are left out, and a change of nothing else. */
export async function visibleEvents(
  db: Db,
  identity: Identity,
  wanted: Wanted,
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

function keywordsOf({
  added_labels = [],
  removed_labels = [],
}: Pick<MessageData, 'added_labels' | 'removed_labels'>): string[] {
  return [...added_labels, ...removed_labels]
}

/** Undefined where nothing is left of it. */
function presentEvent(event: LoggedEvent, known: ReadonlySet<string>): EventOut | undefined {
  const { type, at, address, by, data, subject, from_name, from_address } = event
  const common = { id: cursorText(event), type, at: at.toISOString(), mailbox: address, by }
  if ('sent' in data) {
    const { sent: id, ...more } = data
    return { ...common, sending: { id, ...more } }
  }
  if ('because' in data) return { ...common, refusal: data }
  if (!('folder' in data)) return { ...common, item: data }
  const { added_labels = [], removed_labels = [], ...place } = data
  const [added, removed] = [added_labels, removed_labels].map((of) => of.filter((keyword) => known.has(keyword)))
  const labels = { ...(added?.length && { added_labels: added }), ...(removed?.length && { removed_labels: removed }) }
  const isHidden = keywordsOf(data).length > 0 && keywordsOf(labels).length === 0
  if (isHidden && Object.keys(place).length === 2) return undefined
  const from = from_address === null ? null : { name: from_name ?? '', address: from_address }
  return { ...common, message: { ...place, ...labels, subject, from } }
}
