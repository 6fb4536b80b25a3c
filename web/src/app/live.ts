import type { QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError } from '../api/call.ts'
import { type Event, getStreamEventsUrl, listEvents } from '../api/generated.ts'
import { isEcho } from '../pages/mail/actions/shown.ts'
import { mailKeys } from '../pages/mail/queries.ts'
import { foundBuild } from '../parts/state/loading-parts.ts'
import { toasts } from '../parts/state/toasts.ts'
import { connected, disconnected } from './connection.ts'
import { queryClient } from './query-client.ts'
import { refetch } from './refetch.ts'

/** The pause after the service refused the stream or did not answer. */
const retryMs = 5_000

/** Follows the event log, and refreshes what its events concern. */
export function useLive(): void {
  useEffect(follow, [])
}

/** Where this page goes on reading the log: behind the last event that it has got. */
let cursor: string | undefined

/** Whether the log may have no such place any more: the service has refused to go on from there. */
let isDoubtful = false

/** Finds where to go on. Where events were missed that the log does not have any more, all is loaded again. @throws ApiError if the service
 *  does not answer */
async function placeInLog(): Promise<string> {
  if (cursor !== undefined && (!isDoubtful || (await isInLog(cursor)))) return cursor
  const wasLost = cursor !== undefined
  cursor = (await listEvents({ after: 'now', limit: 1 })).next
  if (wasLost) void queryClient.invalidateQueries()
  return cursor
}

function isInLog(place: string): Promise<boolean> {
  return listEvents({ after: place, limit: 1 }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 400) return false
      throw error
    },
  )
}

/** Only while the page is visible: a browser opens few connections to a service for all its tabs. What happens meanwhile is read then. */
function follow(): () => void {
  let source: EventSource | undefined
  let opening = 0
  let retry: ReturnType<typeof setTimeout> | undefined
  function close(): void {
    opening++
    clearTimeout(retry)
    source?.close()
    source = undefined
  }
  function open(): void {
    // Others see nothing of what is missed.
    connected()
    reopen()
  }
  function again(): void {
    disconnected()
    retry = setTimeout(reopen, retryMs)
  }
  function reopen(): void {
    close()
    if (document.visibilityState === 'hidden') return
    const attempt = opening
    placeInLog().then(
      (after) => attempt === opening && openBehind(after),
      () => attempt === opening && again(),
    )
  }
  function openBehind(after: string): void {
    const stream = new EventSource(getStreamEventsUrl({ after }))
    source = stream
    stream.onmessage = ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as Event
      cursor = event.id
      refetch(concernedBy(event))
    }
    stream.addEventListener('presence', ({ data }: MessageEvent<string>) => {
      const { mailbox, conversation } = JSON.parse(data) as { mailbox: string; conversation: string }
      void queryClient.invalidateQueries({ queryKey: ['presence', mailbox, conversation] })
    })
    stream.addEventListener('settings', ({ data }: MessageEvent<string>) => {
      const { item, mailbox } = JSON.parse(data) as { item: string; mailbox?: string }
      refetch(mailbox === undefined ? ofNoun(item) : mailKeys(mailbox))
    })
    stream.onopen = () => {
      connected()
      isDoubtful = false
      void sayIfUpgraded()
    }
    stream.onerror = () => {
      // The browser reopens a connection that was cut, and goes on behind the last event.
      if (stream.readyState !== EventSource.CLOSED) return disconnected()
      isDoubtful = true
      again()
    }
  }
  open()
  document.addEventListener('visibilitychange', open)
  window.addEventListener('online', open)
  return () => {
    close()
    document.removeEventListener('visibilitychange', open)
    window.removeEventListener('online', open)
  }
}

let isUpgradeSaid = false

/** A service that was started again may have pages of another build, also when that was before the stream was first opened. */
async function sayIfUpgraded(): Promise<void> {
  if (isUpgradeSaid || (await foundBuild()) !== 'other build' || isUpgradeSaid) return
  isUpgradeSaid = true
  const action = { name: 'Load the page again', run: () => location.reload() }
  toasts.add({ text: 'Mailroom was upgraded. This page is of the version before.', action })
}

/** The queries whose results an event may have changed. */
function concernedBy(event: Event): QueryKey[] {
  const { type, mailbox } = event
  const [noun] = type.split('.')
  if ('message' in event && mailbox !== null) {
    const { message } = event
    const shown = type === 'message.changed' && isEcho(mailbox, message)
    const labelled = message.added_labels ?? message.removed_labels
    const keys = [...(shown ? [] : mailKeys(mailbox)), ['search'], ['usage'], ['changes']]
    return labelled ? [...keys, ['labels', 'counted']] : keys
  }
  return ofNoun(noun)
}

function ofNoun(noun = ''): QueryKey[] {
  return [...(nouns[noun] ?? []), ['audit']]
}

/** By the subject of an event or of a change of settings. */
const nouns: Readonly<Record<string, QueryKey[]>> = {
  // What is sent; what arrives has mail of its own.
  message: [['sent'], ['suppressions']],
  label: [['labels']],
  filter: [['filters']],
  block: [['blocked-senders']],
  mailbox: [['mailboxes'], ['me'], ['usage']],
  scheduled: [['scheduled']],
  approval: [['approvals']],
  webhook: [['webhooks']],
  suppression: [['suppressions']],
  forwarding: [['forwarding']],
  domain: [['domains'], ['usage']],
  key: [['api-keys']],
  member: [['members'], ['me']],
  organization: [['me'], ['usage']],
}
