/** A misspelt variable has no effect, which nobody notices by themselves: a sentence for each. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('MAILROOM_') && !known.has(name))
    .sort()
    .map((name) => `${name} is not a variable of Mailroom and has no effect; did you mean ${nearest(name, known)}?`)
}

/** The known name that the fewest insertions, deletions and substitutions lead to. */
function nearest(name: string, known: ReadonlySet<string>): string {
  const [best = ''] = [...known].sort((one, other) => distance(name, one) - distance(name, other))
  return best
}

function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries())
      next.push(
        Math.min((row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1, (row[column] ?? 0) + (letter === other ? 0 : 1)),
      )
    row = next
  }
  return row[to.length] ?? 0
}
