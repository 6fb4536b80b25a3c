/** The part of a report about one recipient. */
export interface Reported {
  /** The addresses that name it, in canonical form; empty if the report does not say. */
  readonly names: readonly string[]
  readonly action: 'failed' | 'delayed' | 'other'
  /** Enhanced status code (RFC 3463); null if there is none. */
  readonly status: string | null
  /** The server's reply, in one line. */
  readonly diagnostic: string | null
  /** The server that replied. */
  readonly server: string | null
}

/** The enhanced status code in a server's reply. */
export function enhancedCodeIn(text: string): string | null {
  return /(?:^|[\s#(-])([45]\.\d{1,3}\.\d{1,3})(?=$|[\s;:,)])/.exec(text)?.[1] ?? null
}

const longestLine = 500

/** One line, without controls. */
export function line(text: string): string {
  const one = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return one.slice(0, longestLine).toWellFormed()
}
