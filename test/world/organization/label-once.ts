import assert from 'node:assert/strict'
import { HttpClient } from '#test/sockets/http-client.ts'
import type { Service } from '#test/world/service.ts'

/** Creates a label under an Idempotency-Key; the answer is kept sealed. */
export async function labelWithIdempotencyKey({ http }: Service, name: string, key: string) {
  const { status, body, headers } = await new HttpClient(http).request('POST', '/v1/labels', {
    ...{ key, body: { name }, headers: { 'idempotency-key': name } },
  })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, replayed: headers.get('idempotency-replayed') === 'true' }
}
