import { WorkerThread } from '#/base/event-loop/worker-thread.ts'
import type { Guessable } from './guessable-thread.ts'

/** It reads lists of words for half a second, once, and a password for up to 0.1 s. */
const thread = new WorkerThread<Guessable, boolean>(
  new URL('./guessable-thread.ts', import.meta.url),
  'guessable passwords',
)

/**
 * Whether a password is soon guessed: one of the common ones, alone or with others, a year, a row of keys, or one of `words`,
 * which say whose it is. It has no rules of composition (NIST SP 800-63B, section 3.1.1.2).
 */
export function isGuessable(password: string, words: readonly string[]): Promise<boolean> {
  return thread.run({ password, words })
}
