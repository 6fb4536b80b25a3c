import type { Mutant } from './mutants.ts'
import list from './survivors.json' with { type: 'json' }

/** A mutant that no test can catch, since it behaves as the source does, or that none should. */
interface Survivor extends Pick<Mutant, 'file' | 'function' | 'before' | 'after'> {
  readonly reason: string
}

const survivors: readonly Survivor[] = list

/** Why a mutant survives, where that is known. */
export function reasonFor(mutant: Mutant): string | undefined {
  return survivors.find((survivor) => nameOf(survivor) === nameOf(mutant))?.reason
}

/** Listed survivors in these files that no longer exist: the code has changed. */
export function staleReasons(mutants: readonly Mutant[]): string[] {
  const files = new Set(mutants.map(({ file }) => file))
  const names = new Set(mutants.map(nameOf))
  return survivors.filter((one) => files.has(one.file) && !names.has(nameOf(one))).map(nameOf)
}

function nameOf({ file, function: inside, before, after }: Omit<Survivor, 'reason'>): string {
  return [file, inside, before, after].join(' | ')
}
