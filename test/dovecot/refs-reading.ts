import type { Headers } from '#/mime/headers.ts'

/** What Dovecot's THREAD=REFS reads of a message. Ids are written `<…>`, without white space. */
export interface RefsReading {
  readonly messageId: string | undefined
  readonly references: readonly string[]
  readonly inReplyTo: readonly string[]
  /** What it goes by: References, and the first id of In-Reply-To where that has none. */
  readonly named: readonly string[]
}

/** As Dovecot 2.3 does it: of the first field of each name, whatever runs from `<` to the next `>` and has an `@`, comments
 *  or not; where quotes, parentheses or square brackets come before that `>`, only an id by the grammar. */
export function readAsRefs(headers: Headers): RefsReading {
  const [messageId] = ids(headers, 'message-id')
  const references = ids(headers, 'references')
  const inReplyTo = ids(headers, 'in-reply-to')
  return { messageId, references, inReplyTo, named: references.length > 0 ? references : inReplyTo.slice(0, 1) }
}

/** RFC 5322, section 3.2.2, as deep as one comment within another. */
const between = String.raw`(?:\s|\((?:[^()]|\([^()]*\))*\))*`
const atom = String.raw`[^\s()<>@,;:"[\]\\]+`
const quoted = String.raw`"(?<quoted>(?:[^"\\]|\\.)*)"`
const id = new RegExp(
  `<(?:(?<plain>[^>"(\\[]*)>|${between}(?:${quoted}|(?<left>${atom}))${between}@${between}(?<right>${atom})${between}>)`,
  'g',
)

function ids(headers: Headers, name: string): string[] {
  const [value = ''] = headers.octets(name)
  return [...value.matchAll(id)].flatMap(({ groups = {} }) => {
    const { plain, quoted, left, right } = groups
    if (plain === undefined) return [`<${left ?? quoted?.replace(/\\(.)/g, '$1')}@${right}>`]
    return plain.includes('@') ? [`<${plain.replace(/[ \t\r\n]/g, '')}>`] : []
  })
}
