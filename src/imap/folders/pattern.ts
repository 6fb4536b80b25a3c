import { separator } from './names.ts'

/** Whether a name matches a pattern of LIST (RFC 9051, section 6.3.9): `*` stands for any characters, `%` for any but the separator. */
export type Matches = (name: string) => boolean

/** Reads a pattern. Names are at most 255 octets long, with the mailbox that they are in some 600, so a pattern with more characters than
 *  its name fits none, and the time for a name is in proportion to the pattern: the places of it that may have been reached are kept as a
 *  set, and none is tried twice. */
export function matcherOf(pattern: string): Matches {
  const steps = [...pattern.replace(/[*%]+/g, (run) => (run.includes('*') ? '*' : '%'))]
  const characters = steps.filter((step) => step !== '*' && step !== '%').length
  return (name) => {
    if (characters > name.length) return false
    let reached = new Uint8Array(steps.length + 1)
    enter(steps, reached, 0)
    for (const character of name) {
      const next = new Uint8Array(steps.length + 1)
      for (let at = 0; at < steps.length; at++) {
        if (reached[at] !== 1) continue
        const step = steps[at]
        if (step === '*' || (step === '%' && character !== separator)) enter(steps, next, at)
        else if (step === character) enter(steps, next, at + 1)
      }
      reached = next
    }
    return reached[steps.length] === 1
  }
}

/** A wildcard may stand for nothing. */
function enter(steps: readonly string[], reached: Uint8Array, at: number): void {
  for (let place = at; reached[place] !== 1; place++) {
    reached[place] = 1
    if (steps[place] !== '*' && steps[place] !== '%') return
  }
}
