import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { serve } from '#/base/event-loop/worker-thread.ts'

/** A password, and words that a guesser would try first. */
export interface Guessable {
  readonly password: string
  readonly words: readonly string[]
}

/** Guesses that a password must withstand, as a power of ten. Throttled clients have fewer in a hundred years. */
const fewest = 8

// What a password begins with decides: the time to read it grows with the square of its length.
const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: 64 })

serve(({ password, words }: Guessable) => ({
  result: estimator.check(password, [...words]).guessesLog10 < fewest,
}))
