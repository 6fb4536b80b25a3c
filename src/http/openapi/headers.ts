import { Type } from '../schemas/type.ts'

/** The header fields of answers and requests that many operations have in common. */

export const answerHeaders = {
  'X-Request-Id': Type.String({ description: "Names this request in Mailroom's log." }),
}

export const allowanceHeaders = {
  'RateLimit-Policy': Type.String({
    description: 'The quota and its window in seconds.',
    examples: ['"key";q=600;w=60'],
  }),
  RateLimit: Type.String({
    description: 'What remains, and in how many seconds there is more.',
    examples: ['"key";r=598;t=41'],
  }),
}

export const cookieHeader = { 'Set-Cookie': Type.String({ description: 'The session, or what it takes to open one.' }) }

export const locationHeader = { Location: Type.String({ description: 'The path of what was created.' }) }

export const replayedHeader = {
  'Idempotency-Replayed': Type.Literal('true', { description: 'Present on a repeated answer.' }),
}

export const idempotencyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Repeating the request with this key within 24 hours gives the first answer again.',
    }),
  ),
})
