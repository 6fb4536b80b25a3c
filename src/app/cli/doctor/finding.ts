import { distrustOf } from '#/http/public-http/failure.ts'

/** The result of a check. A problem keeps Mailroom from working; a warning does not. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly found: string
  /** What to do. */
  readonly fix?: string
}

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found }
}

export function warning(check: string, found: string, fix: string): Finding {
  return { check, state: 'warning', found, fix }
}

export function problem(check: string, found: string, fix: string): Finding {
  return { check, state: 'problem', found, fix }
}

/** Why `fetch` failed, as the end of a sentence. */
export function whyUnreachable(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  const untrusted = distrustOf(cause?.code ?? '')
  return untrusted ? `its certificate is not trusted: ${untrusted}` : (cause?.code ?? cause?.message ?? message)
}
