import { invalid } from '#/base/errors.ts'
import { codePoints, properName } from '#/base/text/text.ts'

export const fields = ['from', 'to', 'subject'] as const
export const ops = ['contains', 'is'] as const
export const actions = ['move', 'label', 'star', 'read'] as const

export type Field = (typeof fields)[number]
type Op = (typeof ops)[number]
type Action = (typeof actions)[number]

/** How many filters the organization may have, and each of its members. */
export const mostFilters = 1_000

/** The fields that a caller sets. `argument` is a folder for `move` and a keyword for `label`. */
export interface FilterFields {
  readonly name: string
  readonly field: Field
  readonly op: Op
  readonly value: string
  readonly action: Action
  readonly argument: string | null
  readonly enabled: boolean
}

export interface Filter extends FilterFields {
  readonly id: string
  /** Filters run in ascending position, equal ones in order of creation. */
  readonly position: number
  /** Why the filter has no effect, if it has none. */
  readonly broken: 'label_deleted' | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Trimmed, NFC, 1 to 64 code points. */
export function filterName(given: string): string {
  return properName('name', given, 64)
}

/** What to match, kept as given: 1 to 120 code points that are not all blank, since those would match all mail. */
export function filterValue(given: string): string {
  if (given.trim() === '') throw invalid('value', 'value must not be blank')
  if (codePoints(given) > 120) throw invalid('value', 'value can be at most 120 characters long')
  return given
}

/** Checks the resulting filter, not the change. */
export function assertArgumentFits({ action, argument }: Pick<FilterFields, 'action' | 'argument'>): void {
  const wanted = action === 'move' || action === 'label'
  if (wanted && argument === null)
    throw invalid('argument', `Action "${action}" needs an argument: ${action === 'move' ? 'a folder' : 'a label'}`)
  if (!wanted && argument !== null)
    throw invalid('argument', `Action "${action}" takes no argument`, 'Leave argument out, or set it to null')
}
