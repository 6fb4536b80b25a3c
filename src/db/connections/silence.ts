import type pg from 'pg'

/** The reply to a statement. Without one within `silence` milliseconds the connection is cut, with all that waits on it. */
export async function answerWithin<T>(silence: number, client: pg.Client, answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => client.connection.stream.destroy(), silence)
  try {
    return await answer
  } finally {
    clearTimeout(timer)
  }
}
