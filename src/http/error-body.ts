import { Type } from 'typebox'
import type { ErrorCode, Refusal } from '#/errors.ts'

/** Status and code go together as here and nowhere else (document, section 7). */
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
}

export function statusOf(refusal: Refusal): number {
  return statuses[refusal.code]
}

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(statuses) }),
      message: Type.String({ description: 'What is wrong, in a sentence a person can act on.' }),
      field: Type.Optional(Type.String({ description: 'The field or parameter at fault: `attachments[2].content`.' })),
      fix: Type.Optional(Type.String({ description: 'What to do, where that is not obvious.' })),
      request_id: Type.String({ description: 'The same as X-Request-Id.' }),
    }),
  },
  { title: 'Error' },
)

export function errorBody({ code, message, field, fix }: Refusal, requestId: string) {
  return {
    error: {
      code,
      message,
      ...(field !== undefined && { field }),
      ...(fix !== undefined && { fix }),
      request_id: requestId,
    },
  }
}
