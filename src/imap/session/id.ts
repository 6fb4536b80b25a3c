import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'

/** RFC 2971, section 3.3. */
const mostFields = 30

/** Reads what a client says of itself, `NIL` or pairs of texts, and forgets it. */
export function readId(args: Arguments): void {
  args.space()
  if (args.isNext('(')) {
    const fields = args.list(() => {
      args.string()
      args.space()
      args.nstring()
    })
    if (fields.length > mostFields) throw new Bad(`ID has at most ${mostFields} fields`)
  } else if (args.nstring() !== undefined) throw new Bad('ID takes NIL or a list')
  args.end()
}
