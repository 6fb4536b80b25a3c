// On both databases: its requests run nearly every statement, on the oldest PostgreSQL too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzzHttp } from './http.ts'

test('requests of all kinds, good and bad, get documented answers and no 5xx', async () => {
  const tally = await fuzzHttp(200, Number(process.env.TEST_SEED ?? 1))
  const answers = [...tally.values()].flatMap((counts) => [...counts.keys()])
  for (const status of [200, 201, 400, 404]) assert.ok(answers.includes(status), `some were answered ${status}`)
})
