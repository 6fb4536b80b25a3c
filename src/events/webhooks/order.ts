import { createHash } from 'node:crypto'
import type { LoggedEvent } from '#/base/event-log/log.ts'

/** The sequence of an event: all events with the same scope and part are ordered. An event without a part is ordered with
 *  all of its scope. */
export interface EventSequence {
  readonly scope: string
  readonly part: string | null
}

/** Messages are ordered within their conversation, or with their whole mailbox if that is unknown; other events with those
 *  of the same item. */
export function sequenceOf({ type, mailboxId, data, conversation }: LoggedEvent): EventSequence {
  if ('sent' in data) return { scope: `sending ${data.sent}`, part: null }
  if ('name' in data) return { scope: `${type.split('.')[0]} ${data.id ?? data.name}`, part: null }
  const part = conversation && createHash('sha256').update(conversation).digest('base64url').slice(0, 16)
  return { scope: `mailbox ${mailboxId}`, part }
}

/** Until when the work is deferred; undefined if it is done. */
export type Left = Date | undefined

/** Runs work in order: each piece once all earlier ones of its sequence have ended. */
export class InOrder {
  readonly #scopes = new Map<string, { whole: Promise<Left> | undefined; parts: Map<string, Promise<Left>> }>()

  /** `work` gets the time until which the last earlier piece is deferred. */
  add({ scope: name, part }: EventSequence, work: (before: Left) => Promise<Left>): Promise<Left> {
    const scope = this.#scopes.get(name) ?? { whole: undefined, parts: new Map<string, Promise<Left>>() }
    this.#scopes.set(name, scope)
    const before = part === null ? [...scope.parts.values(), scope.whole] : [scope.parts.get(part), scope.whole]
    const done = Promise.all(before).then((left) => work(latest(left)))
    if (part === null) this.#scopes.set(name, { whole: done, parts: new Map() })
    else scope.parts.set(part, done)
    return done
  }
}

function latest(times: readonly Left[]): Left {
  return times.reduce((last, time) => (time && (!last || last < time) ? time : last), undefined)
}
