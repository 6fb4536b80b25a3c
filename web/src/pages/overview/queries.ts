import { queryOptions } from '@tanstack/react-query'
import {
  type Forwarding,
  listScheduledMessages,
  listSentMessages,
  type SentMessage,
  showForwarding,
} from '../../api/generated.ts'

/** So many of each kind; the pages that they lead to have all. */
const limit = 5
const recently = 7 * 86_400_000

export const failedScheduledQuery = queryOptions({
  queryKey: ['scheduled', 'failed'],
  queryFn: ({ signal }) => listScheduledMessages({ status: 'failed', limit }, { signal }),
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
    const answer = await showForwarding(undefined, { signal })
    return ('data' in answer ? answer.data : [answer]).filter(({ forward }) => forward.paused_at !== null)
  },
})

/** Something that needs somebody. */
export interface Failed {
  readonly key: string
  readonly what: string
  readonly why: string
  readonly at: string
  /** Where more is said of it. */
  readonly to: '/scheduled' | { readonly sentOf: string } | { readonly mailbox: string } | undefined
}

type Scheduled = Awaited<ReturnType<typeof listScheduledMessages>>['data'][number]

export const ofScheduled = ({ id, subject, send_at, last_error }: Scheduled): Failed => ({
  ...{ key: `scheduled ${id}`, what: `“${subject || '(no subject)'}” was not sent`, at: send_at, to: '/scheduled' },
  why: last_error ?? '',
})

export const ofSent = ({ id, mailbox, from, queued_at, recipients }: SentMessage): Failed[] =>
  recipients
    .filter(({ state }) => state === 'bounced')
    .map(({ address, reason, reply, at }, index) => ({
      key: `sent ${id} ${index}`,
      what: `A message from ${from} did not reach ${address ?? 'a recipient'}`,
      why: reason ?? reply ?? '',
      at: at ?? queued_at,
      to: mailbox === null ? undefined : { sentOf: mailbox },
    }))

export const ofForwarding = ({ mailbox, forward, updated_at }: Forwarding): Failed => ({
  ...{ key: `forwarding ${mailbox}`, what: `Forwarding of ${mailbox} is paused`, to: { mailbox } },
  why: forward.paused_because ?? '',
  at: forward.paused_at ?? updated_at,
})
