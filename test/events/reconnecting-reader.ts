import { HttpClient } from '#test/world/sockets/http-client.ts'
import { EventStream, type StreamedEvent } from './reader.ts'

type Event = StreamedEvent['event']

/** A reader that reconnects to any running process, and ends at a certain event. */
export interface ReconnectingReader {
  /** Waits for a process that runs. */
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
  for (let { after } = from; ; )
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

export async function readByPolling({ http, key, query, isLast, after = '' }: ReconnectingReader): Promise<Event[]> {
  const events: Event[] = []
  for (let next = after; ; )
    try {
      const path = `/v1/events?${query}&wait=50${next && `&after=${next}`}`
      const { status, body } = await new HttpClient(await http()).request('GET', path, { key })
      if (status !== 200) continue
      events.push(...body.data)
      next = body.next
      if (events.some(isLast)) return events
    } catch {
      // It was killed.
    }
}
