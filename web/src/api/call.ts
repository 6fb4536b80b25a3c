/** An error response of the API (docs/reference/http.md#which-errors-are-there), or the lack of a response. */
export class ApiError extends Error {
  /** 0 without a response. */
  readonly status: number
  readonly code: string
  /** The field of the request with the error. */
  readonly field: string | undefined
  /** What to do. */
  readonly fix: string | undefined
  readonly requestId: string | undefined
  /** What the request needs in addition: a confirmation, or a code (docs/reference/sessions.md). */
  readonly needs: string | undefined
  /** When the request may be sent again, in seconds from the response. */
  readonly retryAfter: number | undefined

  constructor(status: number, { code, message, field, fix, request_id, needs }: ErrorBody, retryAfter?: number) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
    this.fix = fix
    this.requestId = request_id
    this.needs = needs
    this.retryAfter = retryAfter
  }

  get isOffline(): boolean {
    return this.status === 0
  }
}

/** Whether it is the error of a request without a session. */
export function saysSignedOut(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 401
}

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly fix?: string
  readonly request_id?: string
  readonly needs?: string
}

const offline = { code: 'offline', message: 'The service cannot be reached', fix: 'Check your connection' }

interface Sent extends RequestInit {
  /** Replaces `fetch`. */
  readonly by?: (url: string, init: RequestInit) => Promise<Response>
}

/** Sends a request of the generated client. @throws ApiError */
export async function call<T>(url: string, { by = fetch, ...init }: Sent = {}): Promise<T> {
  const answer = await by(url, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, offline)
  })
  const body: unknown = await answer.json().catch(() => undefined)
  if (answer.ok) return body as T
  throw new ApiError(
    answer.status,
    errorOf(body) ?? { code: 'server_error', message: `The service answered ${answer.status}` },
    Number(answer.headers.get('Retry-After')) || undefined,
  )
}

function errorOf(body: unknown): ErrorBody | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined
  return body.error as ErrorBody
}
