import { separator } from './names.ts'

/** Whether a name matches a pattern of LIST (RFC 9051, section 6.3.9): `*` stands for any characters, `%` for any but the separator. */
export type Matches = (name: string) => boolean

/** No name is longer, with the mailbox that it is in. */
const longest = 1_024

/** Takes time in proportion to the lengths of name and pattern together multiplied, whatever stands in them: places of the pattern that
 *  a name may have reached are kept as a set, and no way is tried twice. */
export function matcherOf(pattern: string): Matches {
  const steps = [...pattern.replace(/[*%]+/g, (run) => (run.includes('*') ? '*' : '%'))]
  if (steps.filter((step) => step !== '*' && step !== '%').length > longest) return () => false
  return (name) => {
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
