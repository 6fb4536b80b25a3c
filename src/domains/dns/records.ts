import { hash } from 'node:crypto'

/** A record that an organization is to publish. */
export interface WantedRecord {
  readonly purpose: 'ownership' | 'mx' | 'spf' | 'dmarc' | 'dkim' | 'mta_sts' | 'tls_rpt'
  readonly type: 'TXT' | 'MX' | 'CNAME'
  /** Absolute, in ASCII, without a final dot. */
  readonly name: string
  /** A TXT record's strings joined, or the host that an MX or CNAME points at, without a final dot. */
  readonly value: string
  /** Of an MX; null for the others. */
  readonly priority: number | null
  /** In seconds. */
  readonly ttl: number
  /** Offered, but never outstanding. */
  readonly optional: boolean
}

/** A key that signs mail. */
export interface PublishedKey {
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  /** In base64, as `p=` holds it: for RSA a SubjectPublicKeyInfo (RFC 6376, section 3.6.1), for Ed25519 the 32 octets themselves
   *  (RFC 8463, section 4). */
  readonly publicKey: string
}

/** What determines a domain's records. */
export interface Enrolment {
  readonly domain: string
  readonly token: string
  readonly keys: readonly PublishedKey[]
}

/** The records that a domain needs, in the order in which they are shown; optional ones are last. @param hostname this
 *  installation's name in the DNS, to which mail is delivered and from which it is sent */
export function wantedRecords({ domain, token, keys }: Enrolment, hostname: string): readonly WantedRecord[] {
  return [
    txt('ownership', `${challengeLabel}.${domain}`, token),
    { ...txt('mx', domain, hostname), type: 'MX', priority: 10 },
    txt('spf', domain, `v=spf1 a:${hostname} ~all`),
    txt('dmarc', `_dmarc.${domain}`, 'v=DMARC1; p=none'),
    ...keys.map(({ selector, algorithm, publicKey }) =>
      txt('dkim', `${selector}._domainkey.${domain}`, `v=DKIM1; k=${algorithm}; p=${publicKey}`),
    ),
    optional(txt('mta_sts', `_mta-sts.${domain}`, `v=STSv1; id=${policyId(hostname)}`)),
    optional({ ...txt('mta_sts', `mta-sts.${domain}`, hostname), type: 'CNAME' }),
    optional(txt('tls_rpt', `_smtp._tls.${domain}`, `v=TLSRPTv1; rua=mailto:postmaster@${domain}`)),
  ]
}

/** The name of the ownership token. Underscored (RFC 8552), so that nobody with a host below the domain can have it. */
const challengeLabel = '_mailroom-challenge'

const anHour = 3_600

function txt(purpose: WantedRecord['purpose'], name: string, value: string): WantedRecord {
  return { purpose, type: 'TXT', name, value, priority: null, ttl: anHour, optional: false }
}

function optional(record: WantedRecord): WantedRecord {
  return { ...record, optional: true }
}

/** Changes with the host of the policy (RFC 8461, section 3.1). Senders notice other changes once it expires. */
function policyId(hostname: string): string {
  return hash('sha256', hostname, 'hex').slice(0, 20)
}
