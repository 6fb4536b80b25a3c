import type { MessageFlag } from '#/mail/store/change.ts'
import { Bad, No } from '../answers.ts'
import { flagColumns } from '../selected/flags.ts'

/** Flags as a command names them. */
export interface GivenFlags {
  readonly flags: ReadonlySet<MessageFlag>
  readonly keywords: readonly string[]
}

/** Keywords of a message, and of a command: a person has some dozen labels, and a message few of them. */
const mostKeywords = 100

const columns = new Map<string, MessageFlag>(flagColumns.map(([flag, column]) => [flag.toLowerCase(), column]))

/** Sorts flags (RFC 9051, section 2.3.2) into those that have columns, as `$Forwarded` has, and keywords. `\Recent` of RFC 3501 is no client's to
 *  set, and is left out, as programs copy it from one server to another. @throws Bad for another flag with a backslash */
export function givenFlags(given: readonly string[]): GivenFlags {
  const flags = new Set<MessageFlag>()
  const keywords = new Set<string>()
  for (const flag of given) {
    const lower = flag.toLowerCase()
    const column = columns.get(lower)
    if (column) flags.add(column)
    else if (!lower.startsWith('\\')) keywords.add(lower)
    else if (lower !== '\\recent') throw new Bad('There is no such flag with a backslash')
  }
  assertFew(keywords.size)
  return { flags, keywords: [...keywords] }
}

/** So many keywords of a message or a command. @throws No */
export function assertFew(keywords: number): void {
  if (keywords > mostKeywords) throw new No(`A message may have at most ${mostKeywords} keywords`, 'LIMIT')
}
