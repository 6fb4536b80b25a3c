import { ApiError } from '../../../api/call.ts'
import { looksRight } from '../recipients/addresses.ts'
import { limits, type Writing } from '../writing.ts'

/** The errors of a message before it is sent, by field. */
export class Fault extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Errors that can be found here. The service decides. */
export function faultOf({ to, cc, bcc }: Writing): Fault | undefined {
  for (const [field, people] of Object.entries({ to, cc, bcc })) {
    const wrong = people.find((one) => !looksRight(one))
    if (wrong !== undefined) return new Fault(field, `“${wrong}” is not an address`)
    if (people.length > limits.recipients) return new Fault(field, `At most ${limits.recipients} addresses`)
  }
  return to.length === 0 ? new Fault('to', 'Name somebody to send this to') : undefined
}

/** The field of an error, if it is one of these: `to[2]` is an error of `to`. */
export function fieldOf(error: Error, fields: readonly string[]): string | undefined {
  const field = error instanceof Fault || error instanceof ApiError ? error.field : undefined
  return fields.find((name) => name === field?.replace(/[.[].*$/, ''))
}
