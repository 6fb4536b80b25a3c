/** The items of all pages of a list. */
export async function allPages<T>(
  load: (cursor: string) => Promise<{ readonly data: readonly T[]; readonly next_cursor: string | null }>,
): Promise<{ readonly data: readonly T[] }> {
  const data: T[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await load(cursor)
    data.push(...answer.data)
    cursor = answer.next_cursor
  }
  return { data }
}
