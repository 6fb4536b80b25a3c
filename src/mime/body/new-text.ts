import { dropAttribution } from './preview.ts'

/** The text without quoted lines, the lines that introduce them, the original below a forwarding mark or below its header, and the
 *  signature. */
export function newText(text: string): string {
  const lines: string[] = []
  const all = text.split('\n')
  let inQuote = false
  for (const [at, line] of all.entries()) {
    if (line === '-- ' || line === '--' || ORIGINAL.test(line)) break
    const trimmed = line.trim()
    if (WHO.test(trimmed) && isHeader(all, at) && dropRule(lines)) break
    const quoted = trimmed.startsWith('>')
    if (quoted && !inQuote) dropAttribution(lines)
    if (!quoted) lines.push(trimmed)
    if (trimmed !== '') inQuote = quoted
  }
  return lines.join('\n').trim()
}

/** Above the whole message that is answered, as Outlook and others write it in text, with five dashes or more; in HTML and in newer
 *  versions Outlook writes a header alone. */
const ORIGINAL = /^-{5,}\s?(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original)\s?-{5,}/i
const [WHO, WHEN, WHAT] = [
  /^\*?(?:From|Von|De|Da|Van)\s?:\*?\s+\S/i,
  /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Enviada|Fecha|Data|Inviato|Verzonden)\s?:\*?\s+\S/i,
  /^\*?(?:Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp)\s?:/i,
]
const mostHeaderLines = 8

/** Whether such a header begins there: in one paragraph it has when the message was sent, and its subject. */
function isHeader(lines: readonly string[], start: number): boolean {
  const rest = lines.slice(start + 1, start + mostHeaderLines).map((line) => line.trim())
  const end = rest.indexOf('')
  const header = end < 0 ? rest : rest.slice(0, end)
  return header.some((line) => WHEN.test(line)) && header.some((line) => WHAT.test(line))
}

/** Removes the line of underscores above a header. False if nothing was written before, or a line of dashes says that the message is
 *  forwarded: then the message is what follows. */
function dropRule(lines: string[]): boolean {
  const last = lines.findLast((line) => line !== '')
  if (last === undefined || last.startsWith('---')) return false
  if (!/^_{8,}$/.test(last)) return true
  lines.length = lines.lastIndexOf(last)
  return lines.some((line) => line !== '')
}
