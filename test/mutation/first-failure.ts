import type { TestEvent } from 'node:test/reporters'

/** A reporter of node:test that names the first test that fails and ends the file there: the rest would say no more. */
export default async function* firstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined) continue
    yield `${data.name}\n`
    setImmediate(() => process.exit(1))
  }
}
