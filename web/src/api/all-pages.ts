/** The items of all pages of a list. */
export async function allPages<T>(
  load: (page: number) => Promise<{ readonly data: readonly T[]; readonly has_more: boolean }>,
): Promise<{ readonly data: readonly T[] }> {
  const data: T[] = []
  for (let page = 0; ; page++) {
    const answer = await load(page)
    data.push(...answer.data)
    if (!answer.has_more) return { data }
  }
}
