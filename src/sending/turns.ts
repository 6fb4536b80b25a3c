import { Mutex } from '#/event-loop/mutex.ts'

/** From so many octets on messages wait for each other. */
const large = 1 << 20

const mutex = new Mutex()

/** Stores a message, a large one once those before it are stored. With 8 MiB of attachments that keeps a connection busy
 *  for half a second, and the embedded database has but one: where ten came at once, whoever asked for anything else
 *  would wait for all of them. */
export function inTurn<T>(octets: number, store: () => Promise<T>): Promise<T> {
  return octets < large ? store() : mutex.run(store)
}
