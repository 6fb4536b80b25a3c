import { readPublicId } from '#/base/text/message-id.ts'
import { foldText } from '#/base/text/word-fold.ts'
import type { Sought } from '#/formats/mime/body/holds-texts.ts'
import { Bad, No } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'
import { everything, nothing, type SearchKey } from './program.ts'

/** Keys of a program, and those of them that are texts to look for in messages. People and programs search for a few. */
const [mostKeys, mostTexts] = [1_000, 50]
const mostTextLength = 8_192

/** The word with which a program, or what stands before it, begins; undefined if it begins with something else. */
export function firstWord(args: Arguments): string | undefined {
  return args.isNext('(') || beginsSet(args) ? undefined : args.word()
}

/** The keys up to the end of a command, which must all hold. `word` is the first, if it has been read. */
export function readProgram(args: Arguments, word: string | undefined): SearchKey {
  const reader = new ProgramReader(args)
  const keys = [reader.key(word)]
  while (!args.isAtEnd()) {
    args.space()
    keys.push(reader.key())
  }
  return allOf(keys)
}

/** Refuses a charset of strings that we do not decode. */
export function assertCharset(charset: string): void {
  if (!/^(us-ascii|utf-8)$/i.test(charset))
    throw new No('Strings are in US-ASCII or UTF-8', 'BADCHARSET (US-ASCII UTF-8)')
}

const day = 86_400_000

class ProgramReader {
  readonly #args: Arguments
  #keys = 0
  #texts = 0

  constructor(args: Arguments) {
    this.#args = args
  }

  /** `read` is its word if that has been read. */
  key(read?: string): SearchKey {
    const args = this.#args
    if (++this.#keys > mostKeys) throw new No(`A search has at most ${mostKeys} keys`, 'LIMIT')
    if (read === undefined && args.isNext('(')) {
      const keys = args.list(() => this.key())
      if (keys.length === 0) throw new Bad('A search key is missing in parentheses')
      return allOf(keys)
    }
    if (read === undefined && beginsSet(args)) return { kind: 'set', by: 'sequence', set: args.sequenceSet() }
    const word = read ?? args.word()
    const simple = without[word]
    if (simple) return simple
    const readWith = withArguments[word]
    if (!readWith) throw new Bad('That is no search key')
    return readWith(this)
  }

  /** A key behind a space, one deeper. */
  next(): SearchKey {
    this.#args.space()
    return this.#args.nested(() => this.key())
  }

  /** What stands behind a space. */
  after<T>(read: (args: Arguments) => T): T {
    this.#args.space()
    return read(this.#args)
  }

  text(): string {
    const text = this.after((args) => args.astring())
    if (++this.#texts > mostTexts) throw new No(`A search looks for at most ${mostTexts} texts`, 'LIMIT')
    if (text.length > mostTextLength) throw new No(`A text has at most ${mostTextLength} characters`, 'LIMIT')
    return foldText(text)
  }

  /** The beginning of a day, `1-Feb-1994`. */
  day(): number {
    const text = this.after((args) => args.astring())
    const [, date = '', month = '', year = ''] = /^(\d{1,2})-([a-z]{3})-(\d{4})$/i.exec(text) ?? []
    const at = new Date(0)
    at.setUTCFullYear(Number(year), months.indexOf(month.toLowerCase()), Number(date))
    if (!months.includes(month.toLowerCase()) || at.getUTCDate() !== Number(date)) {
      throw new Bad('A date is like 1-Feb-1994')
    }
    return at.getTime()
  }

  /** With the name of a flag, which we do not look at: modification sequences are those of messages (RFC 7162, section 3.1.5). */
  modseq(): SearchKey {
    this.#args.space()
    if (this.#args.isNext('"')) {
      this.#args.string()
      const type = this.after((args) => args.word())
      if (!['ALL', 'PRIV', 'SHARED'].includes(type)) throw new Bad('A kind of entry is all, priv or shared')
      this.#args.space()
    }
    return { kind: 'modseq', least: this.#args.number64() }
  }

  keyword(): SearchKey {
    const keyword = this.after((args) => args.atom()).toLowerCase()
    return keyword === '$forwarded' ? { kind: 'forwarded' } : { kind: 'keyword', keyword }
  }

  /** The envelope's field; without a text, whether there is one. */
  field(name: string, form: 'addresses' | 'subject'): SearchKey {
    const text = this.text()
    if (text === '') return content({ in: 'header', name, text })
    return content(form === 'subject' ? { in: 'subject', text } : { in: 'addresses', name, text })
  }

  /** An empty text is in every message. */
  within(place: 'body' | 'text'): SearchKey {
    const text = this.text()
    return text === '' ? everything : content({ in: place, text })
  }

  header(): SearchKey {
    const name = this.after((args) => args.astring()).toLowerCase()
    return content({ in: 'header', name, text: this.text() })
  }
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function beginsSet(args: Arguments): boolean {
  return [...'0123456789*$'].some((character) => args.isNext(character))
}

function allOf(keys: readonly SearchKey[]): SearchKey {
  const [first] = keys
  return keys.length === 1 && first ? first : { kind: 'all', of: keys }
}

function content(sought: Sought): SearchKey {
  return { kind: 'content', sought }
}

function not(of: SearchKey): SearchKey {
  return { kind: 'not', of }
}

/** No message is recent, since no session is told of a message first: NEW finds none, OLD all. */
const without: Readonly<Record<string, SearchKey>> = {
  ...{ ALL: everything, NEW: nothing, RECENT: nothing, OLD: everything, SAVEDATESUPPORTED: everything },
  ...{ SEEN: { kind: 'seen' }, UNSEEN: not({ kind: 'seen' }) },
  ...{ FLAGGED: { kind: 'flagged' }, UNFLAGGED: not({ kind: 'flagged' }) },
  ...{ ANSWERED: { kind: 'answered' }, UNANSWERED: not({ kind: 'answered' }) },
  ...{ DELETED: { kind: 'deleted' }, UNDELETED: not({ kind: 'deleted' }) },
  ...{ DRAFT: { kind: 'draft' }, UNDRAFT: not({ kind: 'draft' }) },
}

type Read = (reader: ProgramReader) => SearchKey

const addresses =
  (name: string): Read =>
  (reader) =>
    reader.field(name, 'addresses')

/** Before a day, on it, and since. */
function days(key: (bounds: { from?: number; before?: number }) => SearchKey): Record<'before' | 'on' | 'since', Read> {
  return {
    before: (reader) => key({ before: reader.day() }),
    since: (reader) => key({ from: reader.day() }),
    on: (reader) => {
      const from = reader.day()
      return key({ from, before: from + day })
    },
  }
}

const received = days((bounds) => ({ kind: 'received', ...bounds }))
const saved = days((bounds) => ({ kind: 'saved', ...bounds }))
const sent = days((bounds) => content({ in: 'date', ...bounds }))

const withArguments: Readonly<Record<string, Read>> = {
  ...{ BEFORE: received.before, ON: received.on, SINCE: received.since },
  ...{ SENTBEFORE: sent.before, SENTON: sent.on, SENTSINCE: sent.since },
  ...{ SAVEDBEFORE: saved.before, SAVEDON: saved.on, SAVEDSINCE: saved.since },
  ...{ FROM: addresses('from'), TO: addresses('to'), CC: addresses('cc'), BCC: addresses('bcc') },
  SUBJECT: (reader) => reader.field('subject', 'subject'),
  BODY: (reader) => reader.within('body'),
  TEXT: (reader) => reader.within('text'),
  HEADER: (reader) => reader.header(),
  KEYWORD: (reader) => reader.keyword(),
  UNKEYWORD: (reader) => not(reader.keyword()),
  LARGER: (reader) => ({ kind: 'larger', octets: reader.after((args) => args.number64()) }),
  SMALLER: (reader) => ({ kind: 'smaller', octets: reader.after((args) => args.number64()) }),
  OLDER: (reader) => ({ kind: 'older', seconds: reader.after((args) => args.nzNumber()) }),
  YOUNGER: (reader) => ({ kind: 'younger', seconds: reader.after((args) => args.nzNumber()) }),
  UID: (reader) => ({ kind: 'set', by: 'uid', set: reader.after((args) => args.sequenceSet()) }),
  MODSEQ: (reader) => reader.modseq(),
  EMAILID: (reader) => {
    const id = readPublicId(reader.after((args) => args.atom()))
    return id === undefined ? nothing : { kind: 'email', id }
  },
  THREADID: (reader) => ({ kind: 'thread', id: reader.after((args) => args.atom()) }),
  NOT: (reader) => not(reader.next()),
  OR: (reader) => ({ kind: 'either', of: [reader.next(), reader.next()] }),
}
