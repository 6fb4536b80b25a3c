/** A date as a header has it (RFC 5322, section 3.3): of the same length for any of four-digit years. */
function headerDate(at: Date): string {
  return at.toUTCString().replace('GMT', '+0000')
}

/** Puts another Date on a message that `compose` made, in place. */
export function setDate(composed: Buffer, at: Date): void {
  const field = composed.indexOf('\r\nDate: ')
  const value = field + '\r\nDate: '.length
  const date = headerDate(at)
  if (field < 0 || composed.indexOf('\r\n', value) !== value + date.length) {
    throw new Error('A message that was composed here has a Date')
  }
  composed.write(date, value, 'latin1')
}
