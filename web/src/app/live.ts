import type { QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Event } from '../api/generated.ts'
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

/** Only while the page is visible: a browser opens few connections to a service for all its tabs. */
function follow(): () => void {
  let source: EventSource | undefined
  let opened = false
  let retry: ReturnType<typeof setTimeout> | undefined
  function close(): void {
    clearTimeout(retry)
    source?.close()
    source = undefined
  }
  function open(): void {
    // Others see nothing of what is missed.
    connected()
    reopen()
  }
  function reopen(): void {
    close()
    if (document.visibilityState === 'hidden') return
    const stream = new EventSource('/v1/events/stream?after=now')
    source = stream
    stream.onmessage = ({ data }: MessageEvent<string>) => refetch(concernedBy(JSON.parse(data) as Event))
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
      if (opened) {
        // Events in between were missed.
        void queryClient.invalidateQueries()
        void sayIfUpgraded()
      }
      opened = true
    }
    stream.onerror = () => {
      disconnected()
      // The browser reopens a connection that was cut.
      if (stream.readyState === EventSource.CLOSED) retry = setTimeout(reopen, retryMs)
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

/** A service that was started again may have pages of another build. */
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
