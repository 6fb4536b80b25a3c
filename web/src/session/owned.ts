/** Something of the organization, or of the member's own (docs/reference/members.md#personal-items). */
export type Owned<T> = T & { readonly own: boolean }

interface List<T> {
  readonly data: readonly T[]
}

/** What the organization has, then what is the member's own. */
export async function ofBoth<T extends object>(
  organization: Promise<List<T>>,
  own: Promise<List<T>>,
): Promise<Owned<T>[]> {
  const [theirs, mine] = await Promise.all([organization, own])
  return [...theirs.data.map((one) => ({ ...one, own: false })), ...mine.data.map((one) => ({ ...one, own: true }))]
}
