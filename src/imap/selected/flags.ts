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
const columns = [
  ['\\Answered', 'answered'],
  ['\\Flagged', 'flagged'],
  ['\\Deleted', 'deleted'],
  ['\\Seen', 'seen'],
  ['\\Draft', 'draft'],
  ['$Forwarded', 'forwarded'],
] as const

/** The flags that every message can have. */
export const standingFlags: readonly string[] = columns.map(([flag]) => flag)

/** `(\Seen work)`: the flag list of FETCH. */
export function flagList(message: StoredFlags): string {
  const flags = columns.filter(([, column]) => message[column]).map(([flag]) => flag)
  return `(${[...flags, ...message.keywords].join(' ')})`
}
