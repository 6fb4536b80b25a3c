import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedListeners } from './shared-listeners.ts'

test('whoever listens to a channel shares one connection, begins with a notification, and ends it as the last', async () => {
  const said: string[] = []
  let notify: (text?: string) => void = () => {}
  const listeners = new SharedListeners((channel, notified) => {
    said.push(`opened ${channel}`)
    notify = notified
    return { [Symbol.asyncDispose]: async () => void said.push('closed') }
  })
  const hears = (who: string) => (text?: string) => void said.push(`${who} ${text ?? 'begins'}`)
  const one = listeners.listen('events', hears('one'))
  notify()
  const other = listeners.listen('events', hears('other'))
  await Promise.resolve()
  notify('news')
  await one[Symbol.asyncDispose]()
  notify('more')
  await other[Symbol.asyncDispose]()
  await using _again = listeners.listen('events', hears('third'))
  assert.deepEqual(said, [
    ...['opened events', 'one begins', 'other begins', 'one news', 'other news', 'other more', 'closed'],
    'opened events',
  ])
})
