/** Runs background work so that it can be observed, under a constant name. */
export type Follow = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Does not observe the work. */
export const unfollowed: Follow = (_name, work) => work()
