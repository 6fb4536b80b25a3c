import type { Headers } from '#/mime/header/headers.ts'

/** What Dovecot's THREAD=REFS reads of a message. Ids are written `<…>`, without white space. */
export interface RefsReading {
  readonly messageId: string | undefined
  readonly references: readonly string[]
  readonly inReplyTo: readonly string[]
  /** What it goes by: References, and the first id of In-Reply-To where that has none. */
  readonly named: readonly string[]
}

/** As Dovecot 2.3 does it: of the first field of each name, whatever runs from `<` to the next `>` and has an `@`, comments
 *  or not; where quotes or parentheses come before that `>`, only an id by the grammar. */
export function readAsRefs(headers: Headers): RefsReading {
  const [messageId] = ids(headers, 'message-id')
  const references = ids(headers, 'references')
  const inReplyTo = ids(headers, 'in-reply-to')
  return { messageId, references, inReplyTo, named: references.length > 0 ? references : inReplyTo.slice(0, 1) }
}

const quick = /(?<text>[^>"(]*)>/y

/** RFC 5322, section 3.2.2, as deep as one comment within another. */
const between = String.raw`(?:\s|\((?:[^()]|\([^()]*\))*\))*`
const atom = String.raw`[^\s()<>@,;:"[\]\\]+`
const quoted = String.raw`"(?<quoted>(?:[^"\\]|\\.)*)"`
const byGrammar = new RegExp(
  `${between}(?:(?:${quoted}|(?<left>${atom}))${between}(?:(?<at>@)${between}(?:(?<right>${atom})${between}(?<close>>)?)?)?)?`,
  'y',
)

/** What REFS has read of an id when it gives up on it stays, and the next id that it reads by the grammar is put behind:
 *  `<a@x <"b"@x>` is read as `<a@xb@x>`. */
function ids(headers: Headers, name: string): string[] {
  const [value = ''] = headers.octets(name)
  const found: string[] = []
  let kept = ''
  for (let open = value.indexOf('<'); open >= 0; open = value.indexOf('<', open)) {
    open++
    quick.lastIndex = byGrammar.lastIndex = open
    const text = quick.exec(value)?.groups?.text
    if (text !== undefined) {
      open = quick.lastIndex
      if (!text.includes('@')) continue
      kept = text.replace(/[ \t\r\n]/g, '')
    } else {
      const { quoted, left, at = '', right = '', close } = byGrammar.exec(value)?.groups ?? {}
      kept += (left ?? quoted?.replace(/\\(.)/g, '$1') ?? '') + at + right
      if (close === undefined) continue
      open = byGrammar.lastIndex
    }
    found.push(`<${kept}>`)
    kept = ''
  }
  return found
}
