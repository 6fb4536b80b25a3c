import { properName } from '#/text.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  /** Name of a row of `plans`. */
  readonly plan: string
  /** Since when it is suspended, if it is. */
  readonly suspended_at: Date | null
  readonly created_at: Date
}

/** Trimmed, NFC, 1 to 64 code points. No two may differ in case alone, which the database sees to. */
export function organizationName(given: string): string {
  return properName('name', given, 64)
}
