import type pg from 'pg'

/** The answer to a statement. A connection on which it does not come within `silence` milliseconds is cut, with all that
 *  waits on it. */
export async function answerWithin<T>(silence: number, client: pg.Client, answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => client.connection.stream.destroy(), silence)
  try {
    return await answer
  } finally {
    clearTimeout(timer)
  }
}
