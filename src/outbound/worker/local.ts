import type { Db } from '#/db/schema.ts'
import { verifiedAmong } from '#/domains/queries.ts'
import { canonicalDomain, splitAddress } from '#/mime/address.ts'
import type { Verdict } from '#/mime/verdict.ts'
import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'
import type { Blind } from '#/queue/sealed.ts'

/** Delivers what does not leave. */
export interface LocalTransport {
  deliver(delivery: LocalDelivery, signal: AbortSignal): Promise<readonly Outcome[]>
}

export interface LocalDelivery extends Delivery {
  /** Of a message that came in and is passed on; null where one of our own mailboxes is its author. */
  readonly verdict: Verdict | null
}

/** The route of recipients whose mail comes in here: it does not leave. */
export const localRoute = 'local'

/** The route of each of these addresses, by address. */
export async function routesOf(
  db: Db,
  relay: Pick<Relay, 'routeOf'>,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  const here = await verifiedAmong(db, [...new Set(addresses.map(domainOf))])
  return new Map(
    addresses.map((address) => [address, here.has(domainOf(address)) ? localRoute : relay.routeOf(address)]),
  )
}

/** Recipients with their routes as the queue shows them: hidden of a concealed message, and the same for the same route. */
export async function routed(
  db: Db,
  { relay, blind }: { readonly relay: Pick<Relay, 'routeOf'>; readonly blind: Blind },
  addresses: readonly string[],
  concealed = false,
): Promise<{ recipient: string; route: string }[]> {
  const routes = await routesOf(db, relay, addresses)
  const shown = (route: string) => (concealed && route !== localRoute ? blind(route).name : route)
  return Array.from(routes, ([recipient, route]) => ({ recipient, route: shown(route) }))
}

/** As domains are stored; empty where the address has none. */
function domainOf(address: string): string {
  return canonicalDomain(splitAddress(address)?.domain ?? '') ?? ''
}
