import { Bad, type Completed } from '../answers.ts'
import type { Handler, Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'
import { find } from './evaluate.ts'
import { assertCharset, firstWord, readProgram } from './parse-program.ts'
import { hasModseq, type SearchKey } from './program.ts'
import { type Result, savedOf, writeExtended, writeNumbers, writeThreads } from './results.ts'
import { type ReturnOptions, readReturnOptions } from './return-options.ts'
import { Scope } from './scope.ts'
import { sorted } from './sort.ts'
import { readSortKeys } from './sort-program.ts'
import { algorithmNamed, threadsOf } from './thread.ts'

export const searchCommands: Readonly<Record<string, Handler>> = {
  SEARCH: (session, command) => search(session, command, 'sequence'),
  'UID SEARCH': (session, command) => search(session, command, 'uid'),
  SORT: (session, command) => sort(session, command, 'sequence'),
  'UID SORT': (session, command) => sort(session, command, 'uid'),
  THREAD: (session, command) => thread(session, command, 'sequence'),
  'UID THREAD': (session, command) => thread(session, command, 'uid'),
}

/** RFC 9051, section 6.4.4. */
async function search(session: Session, command: Command, by: Result['by']): Promise<Completed> {
  session.needSelected()
  const { args } = command
  args.space()
  let word = firstWord(args)
  let options = session.enabled.has('IMAP4rev2') ? allOf : undefined
  if (word === 'RETURN') {
    args.space()
    options = readReturnOptions(args)
    args.space()
    word = firstWord(args)
  }
  return await orNothingSaved(session, options, async () => {
    if (word === 'CHARSET') {
      if (session.enabled.has('UTF8=ACCEPT')) throw new Bad('Strings are in UTF-8 (RFC 6855)')
      args.space()
      assertCharset(args.astring())
      args.space()
      word = firstWord(args)
    }
    await answer(session, command, { by, options, program: readProgram(args, word), word: 'SEARCH' })
    return { text: 'SEARCH completed' }
  })
}

/** RFC 5256, section 3; with RETURN, RFC 5267, section 3. */
async function sort(session: Session, command: Command, by: Result['by']): Promise<Completed> {
  session.needSelected()
  const { args } = command
  args.space()
  let options: ReturnOptions | undefined
  if (!args.isNext('(')) {
    if (args.word() !== 'RETURN') throw new Bad('Criteria of SORT are missing')
    args.space()
    options = readReturnOptions(args)
    args.space()
  }
  return await orNothingSaved(session, options, async () => {
    const keys = readSortKeys(args)
    const program = readCharsetAndProgram(command)
    const order = (scope: Scope, places: readonly number[]) => sorted(scope, keys, places)
    await answer(session, command, { by, options, program, word: 'SORT', order })
    return { text: 'SORT completed' }
  })
}

/** RFC 5256, section 3. */
async function thread(session: Session, command: Command, by: Result['by']): Promise<Completed> {
  session.needSelected()
  command.args.space()
  const algorithm = algorithmNamed(command.args.word())
  const program = readCharsetAndProgram(command)
  if (hasModseq(program)) session.enable('CONDSTORE')
  using _memory = await session.reserve(placeBytes.thread * session.needSelected().messages.count)
  const scope = new Scope(session, command)
  const places = [...(await find(scope, program))]
  await writeThreads(scope, await threadsOf(scope, algorithm, places), { places, by, withModseq: false })
  return { text: 'THREAD completed' }
}

function readCharsetAndProgram({ args }: Command): SearchKey {
  args.space()
  assertCharset(args.astring())
  args.space()
  return readProgram(args, firstWord(args))
}

/** Octets that each message of the mailbox takes at most while a command finds some of them, in its numbers, its links or the texts by which it
 *  is sorted. */
const placeBytes = { search: 32, thread: 128, sort: 512 }

interface Question extends Pick<Result, 'by'> {
  readonly options: ReturnOptions | undefined
  readonly program: SearchKey
  readonly word: 'SEARCH' | 'SORT'
  readonly order?: (scope: Scope, places: readonly number[]) => Promise<number[]>
}

async function answer(session: Session, command: Command, question: Question): Promise<void> {
  const { by, options, program, word, order } = question
  const withModseq = hasModseq(program)
  if (withModseq) session.enable('CONDSTORE')
  using _memory = await session.reserve(placeBytes[order ? 'sort' : 'search'] * session.needSelected().messages.count)
  const scope = new Scope(session, command)
  const found = [...(await find(scope, program))]
  const places = order ? await order(scope, found) : found
  const result = { places, by, withModseq }
  if (options?.save) scope.selected.savedSearch = savedOf(scope, options, places)
  if (!options) await writeNumbers(scope, word, result)
  else if (isTold(options)) await writeExtended(scope, command.tag, options, result)
}

/** What `RETURN` alone wants, and IMAP4rev2 without it (RFC 9051, section 6.4.4). */
const allOf: ReturnOptions = { min: false, max: false, all: true, count: false, save: false, partial: undefined }

/** SAVE alone has no answer (RFC 5182, section 2.1). */
function isTold({ min, max, all, count, partial }: ReturnOptions): boolean {
  return min || max || all || count || partial !== undefined
}

/** A search that fails leaves nothing saved, one that cannot be read what was saved before (RFC 5182, section 2.1). */
async function orNothingSaved<T>(
  session: Session,
  options: ReturnOptions | undefined,
  search: () => Promise<T>,
): Promise<T> {
  try {
    return await search()
  } catch (error) {
    if (options?.save && !(error instanceof Bad)) session.needSelected().savedSearch = []
    throw error
  }
}
