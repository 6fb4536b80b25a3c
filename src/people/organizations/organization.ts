import { properName } from '#/base/text/text.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  /** Name of a row of `plans`. */
  readonly plan: string
  /** Since when it is suspended; null if it is not. */
  readonly suspended_at: Date | null
  readonly created_at: Date
}

/** Trimmed, NFC, 1 to 64 code points. The database ensures that no two differ in case only. */
export function organizationName(given: string): string {
  return properName('name', given, 64)
}
