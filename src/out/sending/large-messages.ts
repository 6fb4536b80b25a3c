import { isUnavailable } from '#/base/db/unavailable.ts'
import { Mutex } from '#/base/event-loop/mutex.ts'

/** A message of this size, in octets, waits for other large ones. */
const large = 1 << 20

const mutex = new Mutex(isUnavailable)

/** Stores messages, large ones one at a time. A message with 8 MiB of attachments keeps a connection busy for half a second,
 *  and the embedded database has only one: with ten in a row, every other request would wait for all ten. */
export function oneLargeAtATime<T>(octets: number, store: () => Promise<T>): Promise<T> {
  return octets < large ? store() : mutex.run(store)
}
