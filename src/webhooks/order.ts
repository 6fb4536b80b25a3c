import { createHash } from 'node:crypto'
import type { LoggedEvent } from '#/events/log.ts'

/** What an event is in order with: others of the same scope and part, and without a part all of the scope. */
export interface Place {
  readonly scope: string
  readonly part: string | null
}

/** Messages are in order within their conversation, or with all of their mailbox where that is not known; everything else
 *  with what else is told of the same item. */
export function placeOf({ type, mailboxId, data, conversation }: LoggedEvent): Place {
  if ('sent' in data) return { scope: `sending ${data.sent}`, part: null }
  if ('name' in data) return { scope: `${type.split('.')[0]} ${data.id ?? data.name}`, part: null }
  const part = conversation && createHash('sha256').update(conversation).digest('base64url').slice(0, 16)
  return { scope: `mailbox ${mailboxId}`, part }
}

/** Until when what was to be done has been left; undefined where it is done. */
export type Left = Date | undefined

/** Runs work in order: each piece once all before it in its place have ended. */
export class InOrder {
  readonly #scopes = new Map<string, { whole: Promise<Left> | undefined; parts: Map<string, Promise<Left>> }>()

  /** `work` is told until when the last of those before it is left. */
  add({ scope: name, part }: Place, work: (before: Left) => Promise<Left>): Promise<Left> {
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
