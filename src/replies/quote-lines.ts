/** A text as an answer quotes it: each line behind `>`, and what was quoted before one level deeper. */
export function quoteLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`))
    .join('\n')
}
