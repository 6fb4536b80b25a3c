import { TextInput } from '../../parts/form/text-input.tsx'
import { localTime } from '../../parts/time/local-time.ts'

interface Props {
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The time at which it ends by itself, in the reader's zone. */
export function Until(props: Props) {
  return <TextInput {...props} label="Until" type="datetime-local" hint="Empty for no end." />
}

/** The value of the field for a time of the service. One that has passed is over. */
export function untilOf(until: string | null): string {
  const at = new Date(until ?? 0)
  return at.getTime() > Date.now() ? localTime(at) : ''
}

/** The time of the service for a value of the field. */
export const untilFrom = (value: string) => (value === '' ? null : new Date(value).toISOString())
