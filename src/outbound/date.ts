import { messageDate } from '#/mime/date.ts'

/** Puts another Date on a message that `compose` made, in place. */
export function setDate(composed: Buffer, at: Date): void {
  const field = composed.indexOf('\r\nDate: ')
  const value = field + '\r\nDate: '.length
  const date = messageDate(at)
  if (field < 0 || composed.indexOf('\r\n', value) !== value + date.length) {
    throw new Error('A message that was composed here has a Date')
  }
  composed.write(date, value, 'latin1')
}
