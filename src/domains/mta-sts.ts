import type { Db } from '#/base/db/schema.ts'
import { notFound } from '#/base/errors.ts'
import { canonicalDomain } from '#/formats/mime/address/address.ts'
import type { App } from '#/http/app-type.ts'
import { verifiedAmong } from './queries.ts'

export interface MtaStsDependencies {
  readonly db: Db
  readonly hostname: string
  /** Whether mail can come over TLS. */
  readonly tls: boolean
}

/** How long senders keep the policy, in seconds. A week or more is usual (RFC 8461, section 3.2); a day bounds what a mistake
 *  with a certificate costs. */
const maxAge = 86_400

/** The policy by which senders hold to TLS (RFC 8461), for every verified domain: `https://mta-sts.<domain>` is to lead here.
 *  It requires TLS only if this service offers TLS. */
export function mtaStsRoute(app: App, { db, hostname, tls }: MtaStsDependencies): void {
  const policy = ['version: STSv1', `mode: ${tls ? 'enforce' : 'testing'}`, `mx: ${hostname}`, `max_age: ${maxAge}`, '']
  app.get('/.well-known/mta-sts.txt', { schema: { hide: true } }, async (request, reply) => {
    const domain = /^mta-sts\.(.+)$/i.exec(request.hostname)?.[1]
    const known = domain !== undefined && canonicalDomain(domain)
    if (!known || !(await verifiedAmong(db, [known])).has(known)) throw notFound('path or method')
    return reply.type('text/plain; charset=utf-8').send(policy.join('\r\n'))
  })
}
