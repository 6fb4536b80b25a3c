import { invalid } from '#/base/errors.ts'
import { foldCase, properName } from '#/base/text/text.ts'
import { normalized } from '#/base/text/unicode.ts'

/** Colours that have a name (docs/reference/labels.md); any other is `#rrggbb`. */
export const namedColours = ['slate', 'red', 'amber', 'green', 'blue', 'violet', 'pink'] as const

export const defaultColour = 'slate'

/** The most labels of the organization, and of each member. Lists are not paged, so they are bounded. */
export const mostLabels = 1_000

export interface Label {
  readonly id: string
  readonly name: string
  readonly keyword: string
  readonly colour: string
  readonly created_at: Date
}

/** The fields that a caller chooses. */
export interface LabelFields {
  readonly name: string
  readonly colour: string
}

/** A new label, with an orphan's keyword or a derived one. */
export interface NewLabelFields extends LabelFields {
  readonly keyword?: string | undefined
}

/** Trimmed, NFC, 1 to 32 readable code points. */
export function labelName(given: string): string {
  return properName('name', given, 32)
}

/** Equal for two names that count as one: they differ in case or in how accents are composed only. */
export function nameKey(name: string): string {
  return normalized(foldCase(normalized(name, 'NFC')), 'NFC')
}

/** A named colour unchanged, a hex code in lower case. */
export function labelColour(given: string): string {
  if ((namedColours as readonly string[]).includes(given)) return given
  if (/^#[0-9a-f]{6}$/i.test(given)) return given.toLowerCase()
  throw invalid('colour', `colour must be #rrggbb or one of ${namedColours.join(', ')}`)
}
