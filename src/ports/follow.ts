/** Does work that begins by itself so that it can be followed from outside, under a name that is the same each time. */
export type Follow = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Where nobody follows it. */
export const unfollowed: Follow = (_name, work) => work()
