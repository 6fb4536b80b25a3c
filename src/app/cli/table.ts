/** Rows under headings, in columns as wide as their widest cell; `none` if there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none
  const widths = headings.map((heading, at) => Math.max(width(heading), ...rows.map((row) => width(row[at] ?? ''))))
  return [headings, ...rows]
    .map((row) => row.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - width(cell))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** `2026-11-21 07:44` in UTC, or a dash. */
export function minute(time: Date | null): string {
  return time ? time.toISOString().slice(0, 16).replace('T', ' ') : '-'
}

/** `1,234`. */
export function grouped(count: number): string {
  return count.toLocaleString('en')
}

/** `1.5 MiB`. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

const graphemes = new Intl.Segmenter()
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60])/u

/** The width of a text in a terminal: East Asian characters and emoji take two columns. */
function width(text: string): number {
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : 1
  return columns
}
