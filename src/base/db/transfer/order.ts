interface Referring {
  readonly name: string
  /** Tables that rows of this one refer to. */
  readonly references: readonly string[]
}

/** The tables, each after those that it refers to, so that rows can be inserted in this order. @throws Error if tables refer
 *  to each other in a circle */
export function inOrderOfReferences<Table extends Referring>(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  const placed = new Set<string>()
  let left = tables
  while (left.length > 0) {
    const free = left.filter(({ name, references }) => references.every((one) => one === name || placed.has(one)))
    if (free.length === 0) throw new Error(`Tables refer to each other in a circle: ${left.map(({ name }) => name)}`)
    for (const table of free) placed.add(table.name)
    ordered.push(...free)
    left = left.filter(({ name }) => !placed.has(name))
  }
  return ordered
}
