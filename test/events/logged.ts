import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '#test/sockets/http-client.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { until } from '#test/world/until.ts'

/** All events of these types, once there are so many: they can be read a moment after their commit. */
export async function logged(
  organization: TestOrganization,
  types: string,
  count: number,
  options = {},
): Promise<Answer['body'][]> {
  let found: Answer['body'][] = []
  await until(async () => {
    const { status, body } = await organization.request('GET', `/v1/events?types=${types}`, undefined, options)
    assert.equal(status, 200)
    found = body.data
    if (found.length >= count) return true
    // Requests are limited.
    await pause(100)
    return false
  })
  return found
}
