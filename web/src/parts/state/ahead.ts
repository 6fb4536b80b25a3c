/** Loads a part of the app before it is needed, and uses it. One that cannot be loaded now is asked for again as it is needed. */
export function ahead<T>(load: () => Promise<T>, use: (loaded: T) => void = () => undefined): void {
  load().then(use, () => undefined)
}
