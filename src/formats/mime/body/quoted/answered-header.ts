import { normalized } from '#/base/text/unicode.ts'
import { plainLine } from './introductions.ts'
import { headerWords, originalMarks } from './words.ts'

/** Lines of a header. Some programs break long lists of recipients. */
const mostLines = 30
const longestName = 30
const longestMark = 100

type Language = (typeof languages)[number]

const languages = Object.values(headerWords)
const byFrom = new Map<string, Language[]>()
for (const language of languages) {
  for (const name of language.from) byFrom.set(name, [...(byFrom.get(name) ?? []), language])
}

/** Whether a line may be the first of such a header. */
export function beginsHeader(line: string): boolean {
  return languagesOf(line).length > 0
}

/** Whether a header begins at a line, as Outlook and others write it above the message that is answered: in one paragraph it has who sent
 *  the message, when, and its subject, in one language. */
export function isAnsweredHeader(lines: readonly string[], start: number): boolean {
  const possible = languagesOf(lines[start] ?? '')
  const names = new Set<string>()
  const values: string[] = []
  for (const line of lines.slice(start + 1, start + mostLines)) {
    if (plainLine(line) === '') break
    const { name, value } = fieldIn(line) ?? {}
    if (name !== undefined) names.add(name)
    if (value !== undefined) values.push(value.toLowerCase())
  }
  return possible.some(({ sent, subject }) => {
    const hasSubject = subject.some((name) => names.has(name) || values.some((value) => value.includes(` ${name} :`)))
    return hasSubject && sent.some((name) => names.has(name))
  })
}

/** Whether a line stands above the whole message that is answered: `-----Original Message-----`. */
export function isOriginalMark(line: string): boolean {
  if (line.length > longestMark || !line.includes('---')) return false
  const [, mark] = /^\*?-{3,}\s?([^-].*?)\s?-{3,}\*?$/.exec(plainLine(line)) ?? []
  return mark !== undefined && originalMarks.has(normalized(mark.toLowerCase(), 'NFC').replaceAll('’', "'"))
}

function languagesOf(line: string): readonly Language[] {
  const field = fieldIn(line)
  return (field && field.value !== '' && byFrom.get(field.name)) || []
}

/** A field, perhaps with a bold name (`*From:* Ann`), with its name in lower case. */
function fieldIn(line: string): { name: string; value: string } | undefined {
  if (!/[:：]/.test(line.slice(0, 2 * longestName))) return undefined
  const text = plainLine(line.slice(0, 1_000))
  const colon = /[:：]/.exec(text.slice(0, longestName))?.index ?? -1
  if (colon < 1) return undefined
  const name = normalized(text.slice(0, colon).replaceAll('*', '').trim().toLowerCase(), 'NFC')
  return {
    name,
    value: text
      .slice(colon + 1)
      .replace(/^\*+/, '')
      .trim(),
  }
}
