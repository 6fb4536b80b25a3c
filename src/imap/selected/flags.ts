/** The flags of a message as it is stored. */
export interface StoredFlags {
  readonly seen: boolean
  readonly answered: boolean
  readonly flagged: boolean
  readonly deleted: boolean
  readonly draft: boolean
  readonly forwarded: boolean
  readonly keywords: readonly string[]
}

/** The flags of IMAP, each with its column. `$Forwarded` is a keyword there (RFC 5788). */
export const flagColumns = [
  ['\\Answered', 'answered'],
  ['\\Flagged', 'flagged'],
  ['\\Deleted', 'deleted'],
  ['\\Seen', 'seen'],
  ['\\Draft', 'draft'],
  ['$Forwarded', 'forwarded'],
] as const

/** The flags that every message can have. */
export const standingFlags: readonly string[] = flagColumns.map(([flag]) => flag)

export function flagsOf(message: StoredFlags): string[] {
  const flags: string[] = flagColumns.filter(([, column]) => message[column]).map(([flag]) => flag)
  return [...flags, ...message.keywords]
}
