import type { MessageFlag } from '#/mail/store-flags.ts'
import { Bad, No } from '../answers.ts'
import { flagColumns } from '../selected/flags.ts'

/** Flags as a command names them. */
export interface GivenFlags {
  readonly flags: ReadonlySet<MessageFlag>
  readonly keywords: readonly string[]
}

/** A person has some dozen labels, and a message few of them. */
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
  if (keywords.size > mostKeywords) throw new No(`A command may name at most ${mostKeywords} keywords`, 'LIMIT')
  return { flags, keywords: [...keywords] }
}
