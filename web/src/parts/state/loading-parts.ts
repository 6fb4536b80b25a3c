import { type ComponentType, lazy } from 'react'

/** A script or style of the app could not be loaded. */
export class NotLoaded extends Error {}

/** Loads a part of the app. @throws NotLoaded: the router reloads the page by itself for other errors of loading, which
 *  without a connection leaves an error of the browser in its place. */
export function loading<T>(load: () => Promise<T>): Promise<T> {
  return load().catch((error: unknown) => {
    throw new NotLoaded('A part of the app could not be loaded', { cause: error })
  })
}

/** A component that is loaded when it is first shown. */
export function lazily<P extends object>(load: () => Promise<{ readonly default: ComponentType<P> }>) {
  return lazy(() => loading(load))
}

type Found = 'same build' | 'other build' | 'no answer'

/** Whether the service answers, and whether it serves the same build as this page. */
export async function foundBuild(): Promise<Found> {
  const answer = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-store' }).catch(() => undefined)
  const text = answer?.ok ? await answer.text().catch(() => undefined) : undefined
  if (text === undefined) return 'no answer'
  const own = Array.from(document.scripts, ({ src }) => new URL(src).pathname)
  return own.every((path) => text.includes(`"${path}"`)) ? 'same build' : 'other build'
}

/** The least time between two automatic reloads, in milliseconds: if one does not help, neither does another. */
const restMs = 60_000
const lastKey = 'reloaded'

/** Loads the page again if that can help: a service of another build has no parts of this one. Text that is being written is stored
 *  in the browser. Answers what it found if not. */
export async function recover({ isAsked = false } = {}): Promise<Found> {
  const found = await foundBuild()
  const isEarly = Date.now() - Number(sessionStorage.getItem(lastKey) ?? 0) < restMs
  if (found === 'no answer' || (isEarly && !isAsked)) return found
  if (!isAsked) sessionStorage.setItem(lastKey, String(Date.now()))
  location.reload()
  return new Promise(() => {})
}
