import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { canonicalDomain, splitAddress } from '#/formats/mime/address/address.ts'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import type { Blind } from '#/out/queue/sealed.ts'
import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'
import { suppressedAmong } from '#/out/suppressions/queries.ts'

/** Delivers to mailboxes here. */
export interface LocalTransport {
  deliver(delivery: LocalDelivery, signal: AbortSignal): Promise<readonly Outcome[]>
}

export interface LocalDelivery extends Delivery {
  /** The verdict on a message that arrived and is passed on; null if a mailbox here is its author. */
  readonly verdict: Verdict | null
}

/** The route of recipients here: their mail does not leave. */
export const localRoute = 'local'

/** The route of suppressed recipients, who are refused. */
export const suppressedRoute = 'suppressed'

/** The routes of an organization's recipients, by address. */
export type Routes = ReadonlyMap<string, string>

/** The route of each of these addresses, by organization and address, in one statement. Suppression does not concern local
 *  mail. */
export async function routesOf(
  db: Db,
  relay: Pick<Relay, 'routeOf'>,
  wanted: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, Routes>> {
  const all = [...wanted].flatMap(([id, addresses]) => addresses.map((address) => [id, address] as const))
  const addresses = all.map(([, address]) => address)
  const { rows } = await sql<{ id: string | null; name: string }>`
    select null::uuid as id, domain as name from domains
    where domain = any (${[...new Set(addresses.map(domainOf))]}::text[]) and status = 'verified'
    union all
    select organization_id, address from (${suppressedAmong(
      all.map(([id]) => id),
      addresses,
    )}) suppressed`.execute(db)
  const found = new Set(rows.map(({ id, name }) => `${id} ${name}`))
  const routeOf = (id: string, address: string) => {
    if (found.has(`null ${domainOf(address)}`)) return localRoute
    return found.has(`${id} ${address}`) ? suppressedRoute : relay.routeOf(address)
  }
  return new Map(Array.from(wanted, ([id, own]) => [id, new Map(own.map((one) => [one, routeOf(id, one)]))]))
}

/** Recipients with their routes as the queue shows them. Routes of a concealed message are hidden; the same route looks the
 *  same. */
export async function routed(
  db: Db,
  { relay, blind }: { readonly relay: Pick<Relay, 'routeOf'>; readonly blind: Blind },
  organizationId: string,
  addresses: readonly string[],
  concealed = false,
): Promise<{ recipient: string; route: string }[]> {
  const routes = (await routesOf(db, relay, new Map([[organizationId, addresses]]))).get(organizationId) ?? []
  const isShown = (route: string) => !concealed || route === localRoute || route === suppressedRoute
  return Array.from(routes, ([recipient, route]) => ({ recipient, route: isShown(route) ? route : blind(route).name }))
}

/** The domain as stored; empty if the address has none. */
function domainOf(address: string): string {
  return canonicalDomain(splitAddress(address)?.domain ?? '') ?? ''
}
