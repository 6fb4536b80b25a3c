/** Loads a part of the app before it is needed. If loading fails, it is repeated when needed. */
export function ahead<T>(load: () => Promise<T>, use: (loaded: T) => void = () => undefined): void {
  load().then(use, () => undefined)
}
