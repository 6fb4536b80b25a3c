import { ifLookupFails } from '#/base/errors.ts'
import { registeredDomain } from '../name.ts'
import type { Inspection } from './finding.ts'

/** Where a missing record is instead, and how its name is to be entered; or only the latter. @param holds whether the record
 *  is at a name */
export async function diagnosePlace(
  { wanted: { name }, domain }: Inspection,
  holds: (name: string) => Promise<boolean>,
): Promise<string> {
  const zone = registeredDomain(domain)
  const places = wrongPlaces(name, domain, zone)
  // A lookup that only explains may fail: then there is one explanation less.
  const held = await Promise.all(places.map(async ([place]) => await holds(place).catch(ifLookupFails(false))))
  const [place, why] = places[held.indexOf(true)] ?? []
  const entered = name === zone ? '@' : name.slice(0, -zone.length - 1)
  const howTo = `Publish it at ${name}: where the DNS provider adds ${zone} by itself, enter the name as ${entered}.`
  return place === undefined ? howTo : `The record is at ${place}${why}. ${howTo}`
}

/** Where publishers misplace records, each with the reason. */
function wrongPlaces(name: string, domain: string, zone: string): (readonly [string, string])[] {
  const below = name === domain ? '' : name.slice(0, -domain.length - 1)
  const added = ': the DNS provider has added the domain once more'
  const places: (readonly [string, string])[] = [
    [`${name}.${domain}`, added],
    [`${name}.${zone}`, added],
    [below === '' ? zone : `${below}.${zone}`, `, that is for ${zone}, not for ${domain}`],
  ]
  if (below === '') return unlike(name, places)
  const bare = below.replace(/(^|\.)_/g, '$1')
  return unlike(name, [
    ...places,
    [domain, ', at the domain itself'],
    [`${below.replace(/^[^.]*\./, '')}.${domain}`, ', without the first part of its name'],
    [`${bare}.${domain}`, ', without the underscore'],
    [`${below.replace(/\..*$/, '')}.${domain}`, ', without the second part of its name'],
  ])
}

/** Each place once, without the right one. */
function unlike(name: string, places: readonly (readonly [string, string])[]) {
  return places.filter(
    ([place], index) =>
      place !== name && place.length <= 253 && places.findIndex(([other]) => other === place) === index,
  )
}
