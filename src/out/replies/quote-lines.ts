/** A text quoted for an answer: each line behind `>`, earlier quotations one level deeper. */
export function quoteLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`))
    .join('\n')
}
