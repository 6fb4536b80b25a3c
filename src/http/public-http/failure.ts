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

const distrust: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its issuer is not among those that this machine trusts',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate of its issuer is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown to this machine',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its issuer is unknown to this machine, or the server does not send the certificates in between',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
}

/** Why a certificate is not trusted, by the code of Node's error, as the end of a sentence; undefined if that is not what the code
 *  means. */
export function distrustOf(code: string): string | undefined {
  return distrust[code] ?? (/CERT|ISSUER|CA_|SIGNATURE|ALTNAME/.test(code) ? code : undefined)
}

/** Node's error in words. With several addresses, the first one's. */
export function httpFailure(error: unknown): HttpFailed {
  const first = error instanceof AggregateError ? error.errors[0] : error
  if (first instanceof HttpFailed) return first
  const { code = '' } = first as NodeJS.ErrnoException
  const untrusted = distrustOf(code)
  const words = untrusted
    ? `The certificate is not trusted: ${untrusted}`
    : isOfTls(code)
      ? `TLS failed: ${code}`
      : undefined
  return new HttpFailed(reasons[code] ?? words ?? `No HTTP answer: ${code}`, { cause: error })
}

/** An error of OpenSSL. */
function isOfTls(code: string): boolean {
  return /^(?:ERR_(?:TLS|SSL)|EPROTO)/.test(code)
}
