/** Texts, which are kept as they are; comments and white space; what begins a comment that nests, or a body. */
const parts =
  /(?<text>\b[eE]'(?:\\.|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*")|(?<gap>--[^\n]*|\s+)|(?<block>\/\*)|(?<tag>\$(?:[A-Za-z_]\w*)?\$)/gs

/** SQL without comments, with one space wherever there is white space: what it does, however it is explained and laid out. So too
 *  in the bodies of functions, whose comments explain them to a reader of the file. */
export function statementsOf(sql: string): string {
  const kept: string[] = []
  const gap = () => void (kept.at(-1) === ' ' || kept.push(' '))
  const next = new RegExp(parts)
  for (let at = 0; at < sql.length; at = next.lastIndex) {
    const found = next.exec(sql)
    const before = sql.slice(at, found?.index)
    if (before !== '') kept.push(before)
    if (!found) break
    const [{ length }, { text, block, tag }] = [found[0], found.groups ?? {}]
    const end = found.index + length
    if (text !== undefined) kept.push(text)
    else if (tag !== undefined) {
      const close = sql.indexOf(tag, end)
      const bodyEnd = close < 0 ? sql.length : close
      kept.push(tag, statementsOf(sql.slice(end, bodyEnd)), tag)
      next.lastIndex = bodyEnd + length
    } else {
      gap()
      if (block !== undefined) next.lastIndex = endOfBlock(sql, end)
    }
  }
  return kept.join('').trim()
}

/** PostgreSQL's block comments nest. */
function endOfBlock(sql: string, start: number): number {
  const marks = /\/\*|\*\//g
  marks.lastIndex = start
  for (let depth = 1; depth > 0; ) {
    const mark = marks.exec(sql)
    if (!mark) return sql.length
    depth += mark[0] === '/*' ? 1 : -1
  }
  return marks.lastIndex
}
