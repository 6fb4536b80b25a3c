import type { EventType } from '#/base/event-log/types.ts'
import type { Action } from './actions.ts'

/** What changes of settings are in the event log (docs/reference/events.md). Others are in the audit trail alone. */
export const eventOf: Partial<Readonly<Record<Action, EventType>>> = {
  'label.created': 'label.created',
  'label.changed': 'label.changed',
  'label.deleted': 'label.deleted',
  'filter.created': 'filter.created',
  'filter.changed': 'filter.changed',
  'filter.deleted': 'filter.deleted',
  'blocked_sender.created': 'block.created',
  'blocked_sender.deleted': 'block.deleted',
  'forwarding.paused': 'forwarding.paused',
  'mailbox.created': 'mailbox.created',
  'mailbox.suspended': 'mailbox.changed',
  'mailbox.resumed': 'mailbox.changed',
  'mailbox.password_changed': 'mailbox.changed',
  'mailbox.access_changed': 'mailbox.changed',
  'mailbox.deleted': 'mailbox.deleted',
  'alias.added': 'mailbox.changed',
  'alias.removed': 'mailbox.changed',
  'webhook.paused': 'webhook.paused',
}
