import { setTimeout as pause } from 'node:timers/promises'
import { HttpClient } from '#test/sockets/http-client.ts'
import { EventStream, type StreamedEvent } from './reader.ts'

type Event = StreamedEvent['event']

/** A reader that reconnects to any running process, and ends at a certain event. */
export interface ReconnectingReader {
  readonly http: () => Promise<string>
  readonly key: string
  /** As in `types=label`. */
  readonly query: string
  /** Where it begins; undefined for the oldest event. */
  readonly after?: string
  readonly isLast: (event: Event) => boolean
}

export async function readByStream({ http, key, query, isLast, ...from }: ReconnectingReader): Promise<Event[]> {
  const events: Event[] = []
  for (let { after } = from; ; await pause(50)) {
    try {
      await using stream = await EventStream.open(await http(), { key, query: `?${query}`, after })
      for (let next = await stream.next(); next; next = await stream.next()) {
        events.push(next.event)
        after = next.id
        if (isLast(next.event)) return events
      }
    } catch {
      // It was killed.
    }
  }
}

export async function readByPolling({ http, key, query, isLast, after = '' }: ReconnectingReader): Promise<Event[]> {
  const events: Event[] = []
  // Requests are limited.
  for (let next = after; ; await pause(100)) {
    try {
      const path = `/v1/events?${query}&wait=2${next && `&after=${next}`}`
      const { status, body } = await new HttpClient(await http()).request('GET', path, { key })
      if (status !== 200) continue
      events.push(...body.data)
      next = body.next
      if (events.some(isLast)) return events
    } catch {
      // It was killed.
    }
  }
}
