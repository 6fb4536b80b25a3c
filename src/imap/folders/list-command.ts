import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'
import { readStatusItems } from './status.ts'

/** Which names LIST selects (RFC 5258, section 3.1). */
export interface Selection {
  readonly subscribed: boolean
  readonly specialUse: boolean
  /** Also the names above those. */
  readonly recursive: boolean
}

/** What LIST says of each (section 3.2; RFC 5819; RFC 8440). */
export interface ListReturn {
  readonly subscribed: boolean
  readonly rights: boolean
  readonly status: readonly string[]
}

export interface ListCommand {
  readonly selection: Selection
  /** With the reference in front. */
  readonly patterns: readonly string[]
  /** `LIST "" ""` asks for the separator. */
  readonly isOfSeparator: boolean
  readonly wanted: ListReturn
}

/** Patterns in one command. */
const mostPatterns = 10

const selections = new Set(['SUBSCRIBED', 'REMOTE', 'RECURSIVEMATCH', 'SPECIAL-USE'])
const returns = new Set(['SUBSCRIBED', 'CHILDREN', 'SPECIAL-USE', 'STATUS', 'MYRIGHTS'])

/** Reads the arguments of LIST (RFC 9051, section 6.3.9). Children and special use are said in any case. */
export function readList(args: Arguments): ListCommand {
  args.space()
  const selected = args.isNext('(') ? new Set(args.list(() => option(args, selections))) : undefined
  if (selected) args.space()
  const recursive = selected?.has('RECURSIVEMATCH') ?? false
  if (recursive && !selected?.has('SUBSCRIBED') && !selected?.has('SPECIAL-USE'))
    throw new Bad('RECURSIVEMATCH needs SUBSCRIBED or SPECIAL-USE')
  const reference = args.mailbox()
  args.space()
  const several = args.isNext('(')
  const given = several ? args.list(() => args.mailbox()) : [args.mailbox()]
  if (given.length === 0) throw new Bad('LIST needs a pattern')
  if (given.length > mostPatterns) throw new Bad(`LIST has at most ${mostPatterns} patterns`)
  const wanted = args.isAtEnd() ? nothing : readReturn(args)
  args.end()
  return {
    selection: {
      subscribed: selected?.has('SUBSCRIBED') ?? false,
      specialUse: selected?.has('SPECIAL-USE') ?? false,
      recursive,
    },
    patterns: given.map((pattern) => reference + pattern),
    isOfSeparator: !several && !selected && given[0] === '',
    wanted: selected?.has('SUBSCRIBED') ? { ...wanted, subscribed: true } : wanted,
  }
}

const nothing: ListReturn = { subscribed: false, rights: false, status: [] }

function readReturn(args: Arguments): ListReturn {
  args.space()
  if (args.word() !== 'RETURN') throw new Bad('RETURN is the only thing after the patterns')
  args.space()
  let status: readonly string[] = []
  const words = args.list(() => {
    const word = option(args, returns)
    if (word === 'STATUS') {
      args.space()
      status = readStatusItems(args)
    }
    return word
  })
  return { subscribed: words.includes('SUBSCRIBED'), rights: words.includes('MYRIGHTS'), status }
}

function option(args: Arguments, known: ReadonlySet<string>): string {
  const word = args.word()
  if (!known.has(word)) throw new Bad('Unknown option of LIST')
  return word
}
