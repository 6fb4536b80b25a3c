import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkingRoutes } from './unanswered.ts'

for (const [what, steps, expected] of [
  ['the first one', 'one 0', true],
  ['not the next one', 'one 0, one 59999', false],
  ['one on another route', 'one 0, two 1', true],
  ['one after a failure', 'one 0, one fails, one 2', true],
  ['not one after a failure of another route', 'one 0, two fails, one 2', false],
  ['one after a minute', 'one 0, one 60000', true],
  ['one after the clock was set back', 'one 3600000, one 0', true],
] as const)
  test(`a success of a route is news: ${what}`, () => {
    const routes = new WorkingRoutes()
    const news = steps.split(', ').map((step) => {
      const [route = '', at] = step.split(' ')
      return at === 'fails' ? routes.failed(route) : routes.isNews(route, Number(at))
    })
    assert.equal(news.at(-1), expected)
  })
