import { setImmediate as immediate } from 'node:timers/promises'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { notFound } from '#/base/errors.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import { answerOnce, created } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { paged, timedPlace } from '#/http/schemas/cursor.ts'
import { ById, cursorParameter, Id, Line, ListOf, pathId, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { zoneFile } from './dns/zone-file.ts'
import { type Domain, listedRecords, outstandingOf } from './domain.ts'
import { enrolDomain, removeDomain } from './enrol.ts'
import { domainName } from './name.ts'
import { domainById, domainsAfter, domainsOf } from './queries.ts'
import { DomainOut, present } from './schemas.ts'

export interface DomainDependencies {
  readonly db: Db
  readonly time: SharedTime
  /** This installation's name in the DNS, which MX records point at. */
  readonly hostname: string
  /** How long publishing may take, in milliseconds. */
  readonly firstCheckAfter: number
  /** Allows names that are reserved for tests and examples. */
  readonly allowReserved: boolean
}

const reading = { scope: 'domains:read', noun: 'Domains' } as const
const writing = { scope: 'domains:write', noun: 'Domains' } as const

const mostInPage = 100

const ListQuery = Strict({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostInPage,
      description: 'Without it, the whole list, or 100 with `cursor`.',
    }),
  ),
  cursor: cursorParameter,
})

/** Domains from enrolment to removal. The worker's checks decide on the states in between. */
export function domainRoutes(app: App, parts: DomainDependencies): void {
  listRoute(app, parts)
  enrolRoute(app, parts)
  showRoutes(app, parts)
  removeRoute(app, parts)
}

function listRoute(app: App, { db, hostname }: DomainDependencies): void {
  app.get(
    '/v1/domains',
    {
      config: reading,
      schema: {
        summary: 'List domains',
        operationId: 'listDomains',
        description: 'The domains that the organization has enrolled, oldest first.',
        querystring: ListQuery,
        response: { 200: ListOf(DomainOut) },
      },
    },
    async ({ organizationId, query: { cursor, limit } }) => {
      if (cursor === undefined && limit === undefined)
        return { data: await presented(await domainsOf(db, organizationId), hostname), next_cursor: null }
      const wanted = { limit: limit ?? mostInPage, list: [organizationId, 'domains'], placeOf }
      const after = timedPlace(cursor, wanted.list)
      const { page, next_cursor } = paged(await domainsAfter(db, organizationId, after, wanted.limit + 1), wanted)
      return { data: await presented(page, hostname), next_cursor }
    },
  )
}

function placeOf({ createdAt, id }: Domain): [number, string] {
  return [createdAt.getTime() * 1_000, id]
}

async function presented(domains: readonly Domain[], hostname: string): Promise<ReturnType<typeof present>[]> {
  const data: ReturnType<typeof present>[] = []
  for (const domain of domains) {
    data.push(present(domain, hostname))
    // A thousand domains would hold the event loop for more than 100 ms.
    if (data.length % 100 === 0) await immediate()
  }
  return data
}

function enrolRoute(app: App, { db, time, hostname, firstCheckAfter, allowReserved }: DomainDependencies): void {
  app.post(
    '/v1/domains',
    {
      config: { ...writing, errors: ['quota_exceeded'] },
      schema: {
        summary: 'Enrol a domain',
        operationId: 'enrolDomain',
        description:
          'Answers the DNS records. Publish them unchanged at the DNS provider. The service looks them up by a schedule: every ' +
          '5 minutes in the first hour, every 30 in the first two days, then every 6 hours, and daily once all is well. ' +
          'Nothing triggers a check: poll `GET /v1/domains/{id}`, whose `next_check_at` is the time of the next one.\n\n' +
          'Several organizations may enrol a domain: the first whose ownership record is found has it, and the others’ ' +
          'enrolments fail. A sub-domain of another organization’s domain needs an ownership record of its own, as any ' +
          'domain does. An enrolment that has failed begins anew, under a new token, when the domain is enrolled again.',
        body: Strict({
          domain: Line({
            minLength: 1,
            maxLength: 1_000,
            description:
              'In Unicode or ASCII form. Public suffixes such as `co.uk`, single labels, IP addresses and reserved ' +
              'top-level domains are refused.',
            examples: ['example.com', 'bücher.example'],
            rule: (domain: string) => domainName(domain, { allowReserved: true }),
          }),
        }),
        response: { 201: DomainOut },
      },
    },
    async (request, reply) => {
      const domain = domainName(request.body.domain, { allowReserved })
      await answerOnce(db, request, reply, async (tx) => {
        const enrolment = { organizationId: request.organizationId, domain, now: await time(tx), firstCheckAfter }
        const enrolled = await enrolDomain(tx, enrolment, request.actor)
        return created(`/v1/domains/${enrolled.id}`, present(enrolled, hostname))
      })
    },
  )
}

function showRoutes(app: App, { db, hostname }: DomainDependencies): void {
  app.get(
    '/v1/domains/:id',
    {
      config: reading,
      schema: {
        summary: 'Show a domain',
        operationId: 'getDomain',
        description: '`outstanding` says how many records are still missing; zero means done.',
        params: ById,
        response: { 200: DomainOut },
      },
    },
    async ({ organizationId, params }) => present(await domainNamed(db, organizationId, params.id), hostname),
  )

  app.get(
    '/v1/domains/:id/zone',
    {
      config: reading,
      schema: {
        summary: 'Show the outstanding records of a domain as a zone file',
        operationId: 'downloadDomainZone',
        description:
          'Answers text to paste where a DNS provider takes zone files (RFC 1035, section 5). Names are absolute.',
        params: ById,
        response: {
          200: {
            description: 'The records of `dns` that are not satisfied.',
            content: { 'text/dns': { schema: Type.String() } },
          },
        },
      },
    },
    async ({ organizationId, params }, reply) => {
      const domain = await domainNamed(db, organizationId, params.id)
      const zone = zoneFile(domain.domain, outstandingOf(listedRecords(domain, hostname)))
      return reply.type('text/dns; charset=utf-8').send(zone)
    },
  )
}

async function domainNamed(db: Db, organizationId: string, given: string) {
  const domain = await domainById(db, organizationId, pathId(given, 'domain'))
  if (!domain) throw notFound('domain')
  return domain
}

function removeRoute(app: App, { db }: DomainDependencies): void {
  app.delete(
    '/v1/domains/:id',
    {
      config: writing,
      schema: {
        summary: 'Remove a domain',
        operationId: 'removeDomain',
        description:
          'A domain that has mailboxes, or that is suspended, cannot be removed. If you enrol the domain again, it has a new ' +
          'token and new signing keys, so publish its records anew.',
        params: ById,
        response: { 200: Type.Object({ deleted: Type.Literal(true), id: Id, domain: Type.String() }) },
      },
    },
    async (request) => {
      const { organizationId, actor, params } = request
      const id = pathId(params.id, 'domain')
      return await changeOnce(db, request, async (tx) => {
        return { deleted: true as const, id, domain: await removeDomain(tx, organizationId, id, actor) }
      })
    },
  )
}
