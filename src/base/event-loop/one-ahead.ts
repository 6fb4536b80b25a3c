/** What `work` makes of each, in their order. While one result is used the next is being made, so that two are there at most. */
export async function* oneAhead<In, Out>(
  source: Iterable<In> | AsyncIterable<In>,
  work: (one: In) => Promise<Out>,
): AsyncGenerator<Out> {
  let before: Promise<Out> | undefined
  for await (const one of source) {
    const next = work(one)
    next.catch(() => {}) // whoever takes the result hears of it
    if (before) yield await before
    before = next
  }
  if (before) yield await before
}
