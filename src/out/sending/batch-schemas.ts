import { ErrorBody } from '#/http/answers/error-body.ts'
import { OneOf, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { SendRequest, Sent, sendingExample } from './schemas.ts'

const mostMessages = 100

/** As in the OpenAPI document. */
export const BatchRequest = Strict(
  { messages: Type.Array(SendRequest, { minItems: 1, maxItems: mostMessages }) },
  { examples: [{ messages: [sendingExample] }] },
)

/** As it is checked first. Each message is then checked by itself. */
export const BatchShape = Strict({ messages: Type.Array({} as never, { minItems: 1, maxItems: mostMessages }) })

const { request_id: _, ...fault } = ErrorBody.properties.error.properties

export const BatchSent = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        status: OneOf(['queued', 'failed'], { description: '`failed`: nothing of this message is sent.' }),
        id: Type.Optional(Sent.properties.id),
        message_id: Type.Optional(Sent.properties.message_id),
        refused: Sent.properties.refused,
        error: Type.Optional(
          Type.Object(fault, { description: 'What `POST /v1/send` would have answered to this message alone.' }),
        ),
      }),
      { description: 'An entry for each message, in their order.' },
    ),
  },
  {
    examples: [
      {
        data: [
          {
            status: 'queued',
            id: '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55',
            message_id: '<0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55@example.com>',
          },
        ],
      },
    ],
  },
)
