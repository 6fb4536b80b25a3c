import { distance } from '#/http/validation/did-you-mean.ts'

/** A warning for each unknown variable. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('MAILROOM_') && !known.has(name))
    .sort()
    .map((name) => `${name} is not a variable of Mailroom and has no effect; did you mean ${closest(name, known)}?`)
}

function closest(name: string, known: ReadonlySet<string>): string {
  const [best = ''] = [...known].sort((one, other) => distance(name, one) - distance(name, other))
  return best
}
