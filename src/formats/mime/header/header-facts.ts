import { type ArrivalResults, arrivalResults } from '../authentication/arrival-results.ts'
import { type Undelivered, undelivered } from '../report/returned.ts'
import { whyUnanswerable } from '../report/unanswerable.ts'
import { readDate } from './date.ts'
import type { Headers } from './headers.ts'
import { type ListUnsubscribe, listUnsubscribe } from './list-unsubscribe.ts'

/** What lists show of a header beside subject and addresses. Plain JSON, since it is stored so. */
export interface HeaderFacts {
  /** The Date field in RFC 3339; null if missing or unreadable. */
  readonly date: string | null
  readonly results: ArrivalResults | null
  readonly unsubscribe: ListUnsubscribe | null
  /** Whether no answer is expected, by the header. */
  readonly automatic: boolean
  /** Of a notice of non-delivery alone. */
  readonly undelivered?: Undelivered
}

/** `raw` is the message as it is stored. The fields of its arrival may be in front of those that `headers` has. */
export function headerFacts(raw: Buffer, headers: Headers): HeaderFacts {
  const notice = undelivered(raw, headers)
  return {
    date: readDate(headers.last('date') ?? '')?.toISOString() ?? null,
    results: arrivalResults(raw),
    unsubscribe: listUnsubscribe(headers),
    automatic: whyUnanswerable(headers) !== undefined,
    ...(notice && { undelivered: notice }),
  }
}
