type Field<A extends readonly object[], K extends keyof A[number]> = A[number][K]

/** That field of each of them; of several fields, these of each as a list. */
export function each<A extends readonly object[], K extends keyof A[number]>(all: A, name: K): Field<A, K>[]
export function each<A extends readonly object[], K extends keyof A[number]>(
  all: A,
  ...names: readonly K[]
): Field<A, K>[][]
export function each<A extends readonly object[], K extends keyof A[number]>(
  all: A,
  ...names: readonly K[]
): (Field<A, K> | Field<A, K>[])[] {
  const [name, ...more] = names
  return all.map((one: A[number]) =>
    name !== undefined && more.length === 0 ? one[name] : names.map((field) => one[field]),
  )
}
