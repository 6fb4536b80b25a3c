/** A subject without the marks of replies and forwards (RFC 5256, section 2.1). */
export interface BaseSubject {
  readonly text: string
  /** Whether it had such a mark. */
  readonly isReply: boolean
}

/** Of a decoded subject, in time linear in it. */
export function baseSubject(subject: string): BaseSubject {
  let text = subject.replace(/\s+/g, ' ').trim()
  let isReply = false
  for (;;) {
    const trimmed = withoutTrailers(text)
    const { rest, marked } = withoutLeaders(trimmed)
    isReply ||= marked || trimmed !== text
    text = rest
    if (!/^\[fwd:/i.test(text) || !text.endsWith(']')) return { text, isReply }
    isReply = true
    text = text.slice('[fwd:'.length, -1).trim()
  }
}

/** Behind `(fwd)`, which may stand there several times. */
function withoutTrailers(text: string): string {
  let end = text.length
  while (/\(fwd\)$/i.test(text.slice(Math.max(0, end - trailer), end))) {
    end -= trailer
    while (text[end - 1] === ' ') end--
  }
  return text.slice(0, end)
}

const trailer = '(fwd)'.length

/** Behind `Re:`, `Fwd:` and texts in brackets, of which one stays if nothing else is there. */
function withoutLeaders(text: string): { rest: string; marked: boolean } {
  let [start, marked] = [0, false]
  for (;;) {
    blobs.lastIndex = start
    const run = blobs.exec(text)
    const afterRun = start + (run?.[0].length ?? 0)
    mark.lastIndex = afterRun
    const reply = mark.exec(text)
    if (reply) {
      start = afterRun + reply[0].length
      marked = true
      continue
    }
    if (afterRun === start) return { rest: text.slice(start), marked }
    if (afterRun < text.length) start = afterRun
    else return { rest: text.slice(start + (run?.[0] ?? '').lastIndexOf('[')), marked }
  }
}

const blobs = /(?:\[[^[\]]*\] *)+/y
const mark = /(?:re|fwd?) *(?:\[[^[\]]*\] *)?: */iy
