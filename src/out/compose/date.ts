import { messageDate } from '#/formats/mime/header/date.ts'

/** Replaces the Date of a message that `compose` made, in place. */
export function setDate(composed: Buffer, at: Date): void {
  composed.write(messageDate(at), startOfDate(composed), 'latin1')
}

/** Whether a message that `compose` made has this Date, to the second. */
export function isDated(composed: Buffer, at: Date): boolean {
  const start = startOfDate(composed)
  const date = messageDate(at)
  return composed.toString('latin1', start, start + date.length) === date
}

const length = messageDate(new Date(0)).length

function startOfDate(composed: Buffer): number {
  const start = composed.indexOf('\r\nDate: ') + '\r\nDate: '.length
  if (start < '\r\nDate: '.length || composed.indexOf('\r\n', start) !== start + length) {
    throw new Error('A message that was composed here has a Date')
  }
  return start
}
