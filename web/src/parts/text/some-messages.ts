import { count } from './size.ts'

/** A number of messages, within a sentence. */
export function someMessages(number: number): string {
  if (number === 0) return 'no messages'
  return number === 1 ? 'one message' : `${count(number)} messages`
}
