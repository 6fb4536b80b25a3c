import { dropAttribution } from './preview.ts'

/** The text without quoted lines, the lines that introduce them, the original below a forwarding mark, and the signature. */
export function newText(text: string): string {
  const lines: string[] = []
  let inQuote = false
  for (const line of text.split('\n')) {
    if (line === '-- ' || line === '--' || ORIGINAL.test(line)) break
    const trimmed = line.trim()
    const quoted = trimmed.startsWith('>')
    if (quoted && !inQuote) dropAttribution(lines)
    if (!quoted) lines.push(trimmed)
    if (trimmed !== '') inQuote = quoted
  }
  return lines.join('\n').trim()
}

/** Above the whole message that is answered, as Outlook writes it. */
const ORIGINAL = /^-----\s?(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original)\s?-----/i
