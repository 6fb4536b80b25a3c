/** Why there is no response, in a sentence for people without a full stop. */
export class HttpFailed extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection ended before the answer did',
  EPIPE: 'The connection ended before the answer did',
  ETIMEDOUT: 'Nothing answers at the address',
  EHOSTUNREACH: 'The address cannot be reached',
  ENETUNREACH: 'The address cannot be reached',
}

/** Node's error in words. With several addresses, the first one's. */
export function httpFailure(error: unknown): HttpFailed {
  const first = error instanceof AggregateError ? error.errors[0] : error
  if (first instanceof HttpFailed) return first
  const { code = '', message = '' } = first as NodeJS.ErrnoException
  return new HttpFailed(reasons[code] ?? (isOfTls(code) ? `TLS failed: ${message}` : `No HTTP answer: ${code}`), {
    cause: error,
  })
}

/** An error of OpenSSL, or of the certificate. */
function isOfTls(code: string): boolean {
  return /^(?:ERR_(?:TLS|SSL)|EPROTO|CERT|DEPTH|SELF_SIGNED|UNABLE_TO)/.test(code)
}
