import type { ErrorCode, Needed, Refusal } from '#/base/errors.ts'
import { Type } from '../schemas/type.ts'

/** Status and code go together as here and nowhere else (docs/reference/http.md). */
export const statuses: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  quota_exceeded: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  internal_error: 500,
  mail_unavailable: 502,
  provider_unavailable: 502,
}

export function statusOf(refusal: Refusal): number {
  return statuses[refusal.code]
}

/** The most errors in one answer. */
const mostFaults = 100

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(statuses) }),
      message: Type.String({ description: 'What is wrong, in a sentence that a person can act on.' }),
      field: Type.Optional(Type.String({ description: 'The field or parameter at fault: `attachments[2].content`.' })),
      fix: Type.Optional(Type.String({ description: 'What to do, where that is not obvious.' })),
      needs: Type.Optional(
        Type.Unsafe<Needed>({
          type: 'string',
          enum: ['confirmation', 'code'],
          description:
            'For programs, what makes the same request succeed: `confirmation` (`POST /v1/session/confirm`), or a `code` of the ' +
            'second factor in the body.',
        }),
      ),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            field: Type.String({ description: 'The field or parameter at fault.' }),
            message: Type.String({ description: 'What is wrong with it.' }),
          }),
          {
            maxItems: mostFaults,
            description:
              'Present with `field`: every fault of the body or the query. `field` and `message` are those of the first.',
          },
        ),
      ),
      request_id: Type.String({ description: 'The same as X-Request-Id.' }),
    }),
  },
  { title: 'Error' },
)

export function errorBody({ code, message, field, fix, needs, others }: Refusal, requestId: string) {
  return {
    error: {
      code,
      message,
      ...(field !== undefined && { field }),
      ...(fix !== undefined && { fix }),
      ...(needs !== undefined && { needs }),
      ...(field !== undefined && { details: [{ field, message }, ...others].slice(0, mostFaults) }),
      request_id: requestId,
    },
  }
}
