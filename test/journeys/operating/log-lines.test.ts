import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseHome } from '#test/world/database/database.ts'
import { startService } from '#test/world/service.ts'

// On one database: the log is written behind the answer.

/** What a service writes that answers one request and is stopped, and the id that the answer had. */
async function afterOneRequest(more: Readonly<Record<string, string>> = {}) {
  await using home = await databaseHome()
  const service = await startService({ ...home.env, ...more })
  const response = await fetch(`${service.http}/v1/usage`)
  await response.body?.cancel()
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  return { id: response.headers.get('x-request-id') ?? '', lines: service.written().trimEnd().split('\n') }
}

test('the line of a request has its id once, as request_id', async () => {
  const { id, lines } = await afterOneRequest()
  assert.match(id, /^req_/)
  const [line = '', ...others] = lines.filter((one) => one.includes(id))
  assert.deepEqual(others, [])
  assert.equal(line.split(id).length, 2, line)
  assert.equal(JSON.parse(line).request_id, id)
})
