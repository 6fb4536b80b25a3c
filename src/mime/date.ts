/** A date as a header has it (RFC 5322, section 3.3), in UTC: of the same length for any of four-digit years. */
export function messageDate(at: Date): string {
  return at.toUTCString().replace('GMT', '+0000')
}
