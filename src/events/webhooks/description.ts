import { eventTypes } from '#/base/event-log/types.ts'
import { EventOut } from '#/events/event-stream/schemas.ts'
import { OneOf, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'

const PostedEvent = Type.Object(
  { type: OneOf(eventTypes, { description: 'The type of the event.' }), timestamp: Timestamp, data: EventOut },
  { title: 'PostedEvent' },
)

const PostedTest = Type.Object(
  { type: OneOf(['webhook.test']), timestamp: Timestamp, data: Type.Object({}) },
  { title: 'PostedTest' },
)

const parameters = [
  field('webhook-id', 'The id of the event, the same at each attempt and replay.', '06b5a0f2e0012f00000000000041'),
  field('webhook-timestamp', 'The time of the attempt, in seconds since 1970.', '1795852800'),
  field(
    'webhook-signature',
    'Signatures as Standard Webhooks defines them, with a space between two.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

function field(name: string, description: string, example: string) {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example }
}

const responses = {
  '200': { description: 'With this or any other 2xx the receiver says that it has stored the event.' },
  '4XX': { description: 'With this or any other answer the receiver says that it has not, and gets the event again.' },
}

function posted(operationId: string, summary: string, description: string, schema: object) {
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  return {
    post: { operationId, summary, description, tags: ['Webhooks'], security: [], parameters, requestBody, responses },
  }
}

/** What webhooks post, for the OpenAPI document. */
export const postedRequests = {
  event: posted(
    'receiveEvent',
    'Receive an event',
    'Posted to the `url` of each webhook that selects the event.',
    PostedEvent,
  ),
  test: posted('receiveTest', 'Receive a test', 'Posted by `POST /v1/webhooks/{id}/test`.', PostedTest),
}
