/** Of an error's text, and of its place in the source: a summary of some failures shall fit a screen. */
const [mostLines, mostColumns, mostPlaces] = [14, 200, 2]

/** An error's text and where it came from, and the same of its causes, short. */
export function why(error: unknown): string {
  const [lines, places] = [[] as string[], [] as string[]]
  let about = ''
  for (let one = error, depth = 0; depth === 0 || (one !== undefined && depth < 3); one = causeOf(one), depth++) {
    const { text, at } = parted(one)
    lines.push(...text.map((line, index) => (index === 0 ? about + line : line)))
    if (places.length === 0) places.push(...at)
    about = 'because of '
  }
  const left = lines.length > mostLines ? [`… and ${lines.length - mostLines + 1} lines`] : []
  const shown = left.length > 0 ? lines.slice(0, mostLines - 1) : lines
  return [...shown.map(clipped), ...left, ...places].join('\n')
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

/** Places are those in our own files. */
function parted(error: unknown): { readonly text: readonly string[]; readonly at: readonly string[] } {
  if (!(error instanceof Error)) return { text: [String(error)], at: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line))
  const own = frames
    .filter((line) => !/node:|node_modules|runner\/(?:several|test-context)/.test(line))
    .slice(0, mostPlaces)
  const text = `${error.name}: ${error.message}`.split('\n').filter((line) => line.trim() !== '')
  return { text, at: own.map((line) => line.trim()) }
}

function clipped(line: string): string {
  return line.length > mostColumns ? `${line.slice(0, mostColumns - 1)}…` : line
}
