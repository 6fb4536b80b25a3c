import type { Mutant } from './mutants.ts'
import list from './survivors.json' with { type: 'json' }

/** A mutant that no test can catch, since it behaves as the source does, or that none should. */
interface Survivor extends Pick<Mutant, 'file' | 'function' | 'before' | 'after'> {
  readonly reason: string
}

export const survivors: readonly Survivor[] = list

/** Why a mutant survives, where that is known. */
export function reasonFor(mutant: Mutant): string | undefined {
  return survivors.find((survivor) => nameOf(survivor) === nameOf(mutant))?.reason
}

export function nameOf({ file, function: inside, before, after }: Omit<Survivor, 'reason'>): string {
  return [file, inside, before, after].join(' | ')
}
