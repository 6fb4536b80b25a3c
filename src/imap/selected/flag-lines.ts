import { flagList, untagged } from '../wire/format.ts'
import { standingFlags } from './flags.ts'
import type { OpenFolder } from './open-folder.ts'

/** FLAGS and PERMANENTFLAGS (RFC 9051, section 7.1), by which a client learns that it can set any keyword. */
export function flagLines({ keywords, isReadOnly }: OpenFolder): string {
  const flags = new Set([...standingFlags, ...keywords])
  const [permanent, text] = isReadOnly ? [[], 'No flags permitted'] : [[...flags, '\\*'], 'Flags permitted']
  return untagged(`FLAGS ${flagList(flags)}`) + untagged(`OK [PERMANENTFLAGS ${flagList(permanent)}] ${text}`)
}
