import { queryOptions } from '@tanstack/react-query'
import {
  type Approval,
  type Forwarding,
  getForwarding,
  type ListScheduledMessagesResponse,
  listScheduledMessages,
  listSentMessages,
  type SentMessage,
  type Webhook,
} from '../../api/generated.ts'

/** The most items of each kind; the linked pages have all. */
const limit = 5
const recently = 7 * 86_400_000

export const failedScheduledQuery = queryOptions({
  queryKey: ['scheduled', 'failed'],
  queryFn: async ({ signal }) => {
    // Soonest first; the latest failures matter most.
    let latest: Scheduled[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: ListScheduledMessagesResponse = await listScheduledMessages(
        { status: 'failed', limit: 200, cursor },
        { signal },
      )
      latest = [...latest, ...page.data].slice(-limit)
      cursor = page.next_cursor ?? undefined
    }
    return latest
  },
})

export const nextScheduledQuery = queryOptions({
  queryKey: ['scheduled', 'next'],
  queryFn: ({ signal }) => listScheduledMessages({ status: 'pending', limit }, { signal }),
})

export const deferredQuery = queryOptions({
  queryKey: ['sent', 'deferred'],
  queryFn: ({ signal }) => listSentMessages({ state: 'deferred', limit }, { signal }),
})

export const bouncedQuery = queryOptions({
  queryKey: ['sent', 'bounced'],
  queryFn: ({ signal }) => {
    const since = new Date(Date.now() - recently).toISOString()
    return listSentMessages({ state: 'bounced', since, limit }, { signal })
  },
})

export const pausedForwardingQuery = queryOptions({
  queryKey: ['forwarding', 'paused'],
  queryFn: async ({ signal }) => {
    const answer = await getForwarding(undefined, { signal })
    return ('data' in answer ? answer.data : [answer]).filter(({ forward }) => forward.paused_at !== null)
  },
})

/** Failing webhooks, without those that a person has paused. */
export const failing = (webhooks: readonly Webhook[]) =>
  webhooks.filter(({ status, paused_because }) => status === 'failing' || paused_because !== null)

/** A failure or a waiting item. */
export interface Matter {
  readonly key: string
  readonly what: string
  readonly why: string
  readonly at: string | null
  /** The page with details. */
  readonly to:
    | '/scheduled'
    | '/approvals'
    | '/webhooks'
    | { readonly sentOf: string }
    | { readonly mailbox: string }
    | undefined
}

type Scheduled = ListScheduledMessagesResponse['data'][number]

export const ofScheduled = ({ id, subject, send_at, last_error }: Scheduled): Matter => ({
  ...{ key: `scheduled ${id}`, what: `“${subject || '(no subject)'}” was not sent`, at: send_at, to: '/scheduled' },
  why: last_error ?? '',
})

export const ofSent = ({ id, mailbox, from, queued_at, recipients }: SentMessage): Matter[] =>
  recipients
    .filter(({ state }) => state === 'bounced')
    .map(({ address, reason, reply, at }, index) => ({
      key: `sent ${id} ${index}`,
      what: `A message from ${from} did not reach ${address ?? 'a recipient'}`,
      why: reason ?? reply ?? '',
      at: at ?? queued_at,
      to: mailbox === null ? undefined : { sentOf: mailbox },
    }))

export const ofNext = ({ id, subject, send_at, to }: Scheduled): Matter => ({
  ...{ key: `scheduled ${id}`, what: `“${subject || '(no subject)'}” is sent later`, at: send_at, to: '/scheduled' },
  why: `To ${to.join(', ')}`,
})

export const ofDeferred = ({ id, mailbox, from, recipients }: SentMessage): Matter[] =>
  recipients
    .filter(({ state }) => state === 'deferred')
    .map(({ address, reason, reply, next_attempt_at }, index) => ({
      key: `deferred ${id} ${index}`,
      what: `A message from ${from} to ${address ?? 'a recipient'} is tried again`,
      why: reason ?? reply ?? '',
      at: next_attempt_at,
      to: mailbox === null ? undefined : { sentOf: mailbox },
    }))

export const ofApproval = ({ id, mailbox, requested_by, requested_at }: Approval): Matter => ({
  ...{ key: `approval ${id}`, what: `A draft of ${mailbox} waits for approval`, at: requested_at, to: '/approvals' },
  why: `Asked for by ${requested_by.name}`,
})

export const ofForwarding = ({ mailbox, forward, updated_at }: Forwarding): Matter => ({
  ...{ key: `forwarding ${mailbox}`, what: `Forwarding of ${mailbox} is paused`, to: { mailbox } },
  why: forward.paused_because ?? '',
  at: forward.paused_at ?? updated_at,
})

export const ofWebhook = ({ id, name, url, status, paused_because, paused_at, failing_since }: Webhook): Matter => ({
  ...{ key: `webhook ${id}`, to: '/webhooks', at: paused_at ?? failing_since },
  what: `The webhook ${name || new URL(url).host} ${status === 'paused' ? 'was paused' : 'is failing'}`,
  why: paused_because ?? 'Its receiver accepts nothing. It is tried again',
})
