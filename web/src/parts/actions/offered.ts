import { type Action, keysOf, type Ready, readyOf } from './action.ts'

/** Actions that a component offers, with what they are done with. */
interface Offer {
  readonly actions: readonly Action<unknown>[]
  readonly it: unknown
}

/** What each component on the page has offered last, in the order in which they came. */
const offers = new Set<{ readonly current: Offer | undefined }>()

/** The action that the next page runs once it is open. */
let wanted: string | undefined

export function offer(latest: { readonly current: Offer | undefined }): () => void {
  offers.add(latest)
  return () => void offers.delete(latest)
}

/** What can be done now on this page, each name once: of two components with the same action, the first has it. */
export function readyNow(): Ready[] {
  const all = [...offers].flatMap(({ current }) => (current ? readyOf(current.actions, current.it) : []))
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index)
}

/** Does what has this key now; false if nothing has. */
export function doByKey(key: string): boolean {
  for (const { current } of offers) {
    const [found] = current
      ? readyOf(
          current.actions.filter((action) => keysOf(action).includes(key)),
          current.it,
        )
      : []
    if (!found) continue
    found.do()
    return true
  }
  return false
}

/** The page that offers this action runs it once it is open; undefined for none. */
export function want(name: string | undefined): void {
  wanted = name
}

/** Answers the wanted action if it is one of these, once. */
export function wantedOf(actions: readonly Ready[]): Ready | undefined {
  const found = actions.find(({ name }) => name === wanted)
  if (found) wanted = undefined
  return found
}
