/** Undoes the soft line breaks of format=flowed (RFC 3676). Lines of different quote depth do not join, nor does the signature
 *  separator `-- `. */
export function unflow(text: string, deleteSpace: boolean): string {
  const lines: string[] = []
  let flowing: { depth: number; pieces: string[] } | undefined
  const flush = () => {
    if (flowing) lines.push(`${'>'.repeat(flowing.depth)}${flowing.depth > 0 ? ' ' : ''}${flowing.pieces.join('')}`)
    flowing = undefined
  }
  for (const line of text.split('\n')) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0
    const stuffed = line.slice(depth)
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed
    const signature = content === '-- '
    if (flowing?.depth !== depth || signature) flush()
    flowing ??= { depth, pieces: [] }
    const soft = content.endsWith(' ') && !signature
    flowing.pieces.push(soft && deleteSpace ? content.slice(0, -1) : content)
    if (!soft) flush()
  }
  flush()
  return lines.join('\n')
}
