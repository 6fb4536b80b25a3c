import { createHash } from 'node:crypto'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The same files, or groups of them, in another order. */
export type Mix = <T extends string | readonly string[]>(all: readonly T[]) => readonly T[]

export const unmixed: Mix = (all) => all

/** The order that a seed makes: the same in each clone, and for files that stay when others come. */
export function shuffledBy(seed: string): Mix {
  const name = (one: string | readonly string[]) => [one].flat().map((path) => relative(root, path))
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  return (all) => {
    const places = new Map(all.map((one) => [one, hash(`${seed} ${name(one)}`)]))
    return all.toSorted((a, b) => ((places.get(a) ?? '') < (places.get(b) ?? '') ? -1 : 1))
  }
}
