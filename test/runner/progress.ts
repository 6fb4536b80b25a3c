import type { TestEvent } from 'node:test/reporters'

/** One line of a test file's progress, as JSON. */
export type Progress = { readonly begins: string } | { readonly passed: number; readonly failed: number }

/** A reporter of node:test that says which test begins, at once, and how many passed when all have ended. A file that
 *  writes nothing for long hangs, in the test that it named last. */
export default async function* progress(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:dequeue') yield line({ begins: data.name })
    if (type === 'test:summary') {
      const { passed, tests } = data.counts
      yield line({ passed, failed: tests - passed })
    }
  }
}

function line(progress: Progress): string {
  return `${JSON.stringify(progress)}\n`
}
