import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '#test/sockets/http-client.ts'
import type { TestOrganization } from '#test/world/test-organization.ts'

/** Events of these types, all that there are, once there are so many: they can be read a moment after their commit. */
export async function logged(
  organization: TestOrganization,
  types: string,
  count: number,
  options = {},
): Promise<Answer['body'][]> {
  for (;;) {
    const { status, body } = await organization.request('GET', `/v1/events?types=${types}`, undefined, options)
    assert.equal(status, 200)
    if (body.data.length >= count) return body.data
    // Requests are limited.
    await pause(100)
  }
}
