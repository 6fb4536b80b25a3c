import { isKeyword } from '#/labels/keyword.ts'
import type { SearchField, SearchTree } from '#/ports/search.ts'
import { timeOf } from '#/search/operators.ts'
import { wordsOf } from '#/search/words.ts'
import { normalized } from '#/unicode.ts'
import { isUnspaced } from '#/word-fold.ts'
import { day, quoted } from '../client/syntax.ts'

/** The arguments of a SEARCH command (RFC 9051, section 6.4.4), in UTF-8 if some are literals. */
export type Key = readonly (string | Buffer)[]

interface Asked {
  readonly folder: string
  readonly now: Date
  /** Whether the server has a full-text index. Without one it compares octets: it reads HTML as it is written, and does not
   *  ignore accents. */
  readonly words: boolean
}

/** A key finds at least what the query finds. Null if the query finds nothing in this folder. */
export function searchKey(tree: SearchTree, asked: Asked): Key | null {
  return keyOf(tree, true, asked) ?? null
}

const everything: Key = ['ALL']
type Found = Key | undefined

/** The key of what a term finds, or of what it leaves out; undefined for nothing. */
function keyOf(tree: SearchTree, holds: boolean, asked: Asked): Found {
  switch (tree.kind) {
    case 'all':
    case 'either': {
      const keys = tree.of.map((one) => keyOf(one, holds, asked))
      return (tree.kind === 'all') === holds ? both(keys) : either(keys)
    }
    case 'not':
      return keyOf(tree.of, !holds, asked)
    case 'text':
      return holds && asked.words ? words(tree.field, tree.text) : everything
    case 'label':
      return label(tree.keyword, holds)
    case 'folder':
      return (tree.name === null || tree.name === asked.folder) === holds ? everything : undefined
    case 'unread':
      return [holds ? 'UNSEEN' : 'SEEN']
    case 'starred':
      return [holds ? 'FLAGGED' : 'UNFLAGGED']
    case 'before':
    case 'older_than':
      return holds ? before(timeOf(tree, asked.now)) : since(timeOf(tree, asked.now))
    case 'after':
    case 'newer_than':
      return holds ? since(timeOf(tree, asked.now)) : before(timeOf(tree, asked.now))
    // On the server a message has the field in front, too, that the API leaves out.
    case 'larger':
      return holds ? larger(tree.bytes) : everything
    case 'smaller':
      return holds ? everything : larger(tree.bytes - 1)
    case 'message_id':
      return holds && /^[\x21-\x7e]+$/.test(tree.id) ? [`HEADER MESSAGE-ID ${quoted(tree.id)}`] : everything
    case 'attachment':
      return everything
  }
}

function both(keys: readonly Found[]): Found {
  const known = keys.filter((key) => key !== undefined)
  if (known.length < keys.length) return undefined
  const narrowing = known.filter((key) => key !== everything)
  if (narrowing.length === 0) return everything
  return narrowing.flatMap((key, index) => (index === 0 ? key : [' ', ...key]))
}

function either(keys: readonly Found[]): Found {
  const known = keys.filter((key) => key !== undefined)
  if (known.includes(everything)) return everything
  const [first, ...others] = known
  return first && ['OR ('.repeat(others.length), ...first, ...others.flatMap((key) => [') (', ...key, ')'])]
}

function label(keyword: string, holds: boolean): Found {
  if (!isKeyword(keyword)) return holds ? undefined : everything
  return [`${holds ? '' : 'UN'}KEYWORD ${keyword}`]
}

/** RFC 9051, section 9. */
const highestNumber = 2 ** 32 - 1

function larger(bytes: number): Key {
  return bytes < 0 ? everything : [`LARGER ${Math.min(bytes, highestNumber)}`]
}

const aDay = 86_400_000
/** Times whose dates all servers accept, in any time zone. */
const [earliest, latest] = [Date.UTC(1971), Date.UTC(9000)]

function since(time: Date): Key {
  const from = time.getTime() - aDay
  return from < earliest || from > latest ? everything : [`SINCE ${day(new Date(from))}`]
}

function before(time: Date): Key {
  const until = time.getTime() + 2 * aDay
  return until < earliest || until > latest ? everything : [`BEFORE ${day(new Date(until))}`]
}

/** The length of words in every full-text index: at least so many letters, at most so many octets. */
const [shortestWord, longestWord] = [3, 30]

/** Few full-text indexes have the parts of text without spaces, and servers do not decode all file names. */
function words(field: SearchField, text: string): Found {
  if (field === 'filename') return everything
  const keys = [...wordsOf(text)].flatMap(({ text: word, start, end }) => {
    if (isUnspaced(word) || word.length < shortestWord || Buffer.byteLength(word) > longestWord) return []
    const forms = new Set([word, normalized(text.slice(start, end), 'NFC').toLowerCase()])
    return [either([...forms].map((form) => inField(field, form)))]
  })
  return both(keys)
}

function inField(field: Exclude<SearchField, 'filename'>, word: string): Found {
  const value = /^[\x20-\x7e]+$/.test(word) ? quoted(word) : Buffer.from(word)
  if (field === 'from')
    return either([
      ['FROM ', value],
      ['HEADER SENDER ', value],
    ])
  return [`${field === 'any' ? 'TEXT' : field.toUpperCase()} `, value]
}
