/** An item of the organization or of the member (docs/reference/members.md#what-belongs-to-a-member-alone). */
export type Owned<T> = T & { readonly own: boolean }

interface List<T> {
  readonly data: readonly T[]
}

/** The organization's items, then the member's. */
export async function ofBoth<T extends object>(
  organization: Promise<List<T>>,
  own: Promise<List<T>>,
): Promise<Owned<T>[]> {
  const [theirs, mine] = await Promise.all([organization, own])
  return [...theirs.data.map((one) => ({ ...one, own: false })), ...mine.data.map((one) => ({ ...one, own: true }))]
}
