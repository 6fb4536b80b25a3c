import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutants.ts'

/** Mutants that no test can catch, since they behave as the source does, or that none should: by their names, the reasons. Each
 *  is a line of the file, which ends with the reason. */
export const survivors: ReadonlyMap<string, string> = new Map(
  readFileSync(join(import.meta.dirname, 'survivors.tsv'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => [line.slice(0, line.lastIndexOf('\t')), line.slice(line.lastIndexOf('\t') + 1)]),
)

export function nameOf({ file, function: inside, before, after }: Mutant): string {
  return [file, inside, before, after].join('\t')
}
