import { type Change, messageFlags } from '#/mail/store/change.ts'
import { type Stored, storeFlags } from '#/mail/store/store-flags.ts'
import { Bad, type Completed, No } from '../answers.ts'
import type { OpenFolder } from '../selected/open-folder.ts'
import { fetched, tellKeywords, writeLines } from '../selected/tell.ts'
import type { Handler, Session } from '../session/session.ts'
import type { Arguments } from '../wire/arguments.ts'
import { rangesOf, sequenceSet } from '../wire/format.ts'
import type { SequenceSet } from '../wire/sequence-set.ts'
import { assertFew, type GivenFlags, givenFlags } from './given-flags.ts'
import { inSteps } from './steps.ts'
import { changeable } from './target.ts'

interface Asked {
  readonly set: SequenceSet
  readonly change: Change
  readonly unchangedSince: number | undefined
  readonly isSilent: boolean
}

/** STORE and UID STORE (RFC 9051, section 6.4.6), with UNCHANGEDSINCE (RFC 7162, section 3.1.3). The client is told of what has changed, as Dovecot
 *  tells it: not of messages that were so already. */
export const store: Handler = async (session, command) => {
  const { set, change, unchangedSince, isSilent } = readStore(command.args)
  const selected = changeable(session)
  if (unchangedSince !== undefined) session.enable('CONDSTORE')
  const byUid = command.name === 'UID STORE'
  const { messages } = selected
  const ranges = messages.uidRanges(set, byUid ? 'uid' : 'sequence', selected.savedSearch)
  const modified: number[] = []
  let lacks = false
  await inSteps(session, command, messages.uidsIn(ranges), async (uids) => {
    const stored = await session.parts.db.transaction().execute(async (tx) => {
      const stored = await storeFlags(tx, selected, uids, change, session.user.by, { unchangedSince })
      if (change.addKeywords?.length) for (const { keywords } of stored.changed) assertFew(keywords.length)
      return stored
    })
    for (const uid of stored.modified) modified.push(uid)
    lacks ||= stored.present.length < uids.length
    await tell(session, selected, stored, { byUid, isSilent })
  })
  return completed(selected, { modified, lacks: lacks && !isSilent, byUid })
}

/** `1:3 (UNCHANGEDSINCE 5) +FLAGS.SILENT (\Seen work)`. */
function readStore(args: Arguments): Asked {
  args.space()
  const set = args.sequenceSet()
  args.space()
  let unchangedSince: number | undefined
  if (args.isNext('(')) {
    args.list(() => {
      if (args.word() !== 'UNCHANGEDSINCE' || unchangedSince !== undefined)
        throw new Bad('The one modifier is UNCHANGEDSINCE')
      args.space()
      unchangedSince = args.number64()
    })
    args.space()
  }
  const [, sign = '', , silent] =
    /^([+-]?)(FLAGS)(\.SILENT)?$/.exec(args.word()) ?? throwBad('Expected FLAGS, +FLAGS or -FLAGS')
  args.space()
  const given = givenFlags(args.isNext('(') ? args.list(() => args.flag()) : flagsToTheEnd(args))
  args.end()
  return { set, change: changeBy(sign, given), unchangedSince, isSilent: silent !== undefined }
}

function throwBad(text: string): never {
  throw new Bad(text)
}

/** Without parentheses. */
function flagsToTheEnd(args: Arguments): string[] {
  const flags = [args.flag()]
  while (!args.isAtEnd()) {
    args.space()
    flags.push(args.flag())
  }
  return flags
}

function changeBy(sign: string, { flags, keywords }: GivenFlags): Change {
  const to = (isSet: boolean) => Object.fromEntries([...flags].map((flag) => [flag, isSet]))
  if (sign === '+') return { ...to(true), addKeywords: keywords }
  if (sign === '-') return { ...to(false), removeKeywords: keywords }
  return { ...Object.fromEntries(messageFlags.map((flag) => [flag, flags.has(flag)])), keywords }
}

/** Tells the client the flags of what has changed, or with `.SILENT` only the modification sequence, if it keeps those. What the client has not
 *  heard of since, `.SILENT` does not keep from it. */
async function tell(
  session: Session,
  selected: OpenFolder,
  { changed, modseq }: Stored,
  { byUid, isSilent }: { byUid: boolean; isSilent: boolean },
): Promise<void> {
  if (changed.length === 0) return
  const unheard = changed.filter(({ modseqBefore }) => isSilent && modseqBefore > selected.modseq)
  selected.knows(
    modseq,
    unheard.map(({ uid }) => uid),
  )
  await tellKeywords(session, selected, changed)
  if (isSilent && !session.enabled.has('CONDSTORE')) return
  const how = { withUid: byUid, isSilent }
  await writeLines(
    session.output,
    changed.values().map((message) => fetched(session, selected, { ...message, modseq }, how)),
  )
}

interface Result {
  readonly modified: readonly number[]
  /** Whether some of the messages were expunged meanwhile, of which a client is told nothing that does not want to know what became of
   *  them (RFC 2180, section 4.2.3). */
  readonly lacks: boolean
  readonly byUid: boolean
}

/** @throws No if sequence numbers named messages that are gone */
function completed({ messages }: OpenFolder, { modified, lacks, byUid }: Result): Completed {
  const numbers = byUid ? modified : modified.map((uid) => messages.sequenceOf(uid) ?? 0)
  const code = numbers.length > 0 ? `MODIFIED ${sequenceSet(rangesOf(numbers))}` : undefined
  if (lacks && !byUid) throw new No('Some of the messages no longer exist', code ?? 'EXPUNGEISSUED')
  return { text: code ? 'Conditional store failed for some' : 'Store completed', ...(code && { code }) }
}
