import { Bad, type Completed } from '../answers.ts'
import type { Handler, Session } from '../session/session.ts'
import type { Arguments, Command } from '../wire/arguments.ts'
import { find } from './evaluate.ts'
import { assertCharset, firstWord, readProgram } from './parse-program.ts'
import type { Places } from './places.ts'
import { hasModseq, type SearchKey } from './program.ts'
import { type Result, savedOf, writeExtended, writeNumbers } from './results.ts'
import { type ReturnOptions, readReturnOptions } from './return-options.ts'
import { Scope } from './scope.ts'

export const searchCommands: Readonly<Record<string, Handler>> = {
  SEARCH: (session, command) => search(session, command, 'sequence'),
  'UID SEARCH': (session, command) => search(session, command, 'uid'),
}

/** RFC 9051, section 6.4.4. */
async function search(session: Session, { tag, args }: Command, by: Result['by']): Promise<Completed> {
  const selected = session.needSelected()
  const { options, program } = readSearch(session, args)
  const withModseq = hasModseq(program)
  if (withModseq) session.enable('CONDSTORE')
  const scope = new Scope(session, tag)
  const places = [...(await (options?.save ? findToSave(scope, program) : find(scope, program)))]
  const result = { places, by, withModseq }
  if (options?.save) selected.savedSearch = savedOf(scope, options, places)
  if (!options) await writeNumbers(scope, 'SEARCH', result)
  else if (isTold(options)) await writeExtended(scope, tag, options, result)
  return { text: 'SEARCH completed' }
}

function readSearch(session: Session, args: Arguments): { options: ReturnOptions | undefined; program: SearchKey } {
  args.space()
  let word = firstWord(args)
  let options = session.enabled.has('IMAP4rev2') ? allOf : undefined
  if (word === 'RETURN') {
    args.space()
    options = readReturnOptions(args)
    args.space()
    word = firstWord(args)
  }
  if (word === 'CHARSET') {
    if (session.enabled.has('UTF8=ACCEPT')) throw new Bad('Strings are in UTF-8 (RFC 6855)')
    args.space()
    assertCharset(args.astring())
    args.space()
    word = firstWord(args)
  }
  return { options, program: readProgram(args, word) }
}

/** What `RETURN` alone wants, and IMAP4rev2 without it (RFC 9051, section 6.4.4). */
const allOf: ReturnOptions = { min: false, max: false, all: true, count: false, save: false, partial: undefined }

/** SAVE alone has no answer (RFC 5182, section 2.1). */
function isTold({ min, max, all, count, partial }: ReturnOptions): boolean {
  return min || max || all || count || partial !== undefined
}

/** A search that fails leaves nothing saved, one that cannot be read what was saved before (RFC 5182, section 2.1). */
async function findToSave(scope: Scope, program: SearchKey): Promise<Places> {
  try {
    return await find(scope, program)
  } catch (error) {
    if (!(error instanceof Bad)) scope.selected.savedSearch = []
    throw error
  }
}
