const DIGITS = new Int8Array(256).fill(-1)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  DIGITS[digit.charCodeAt(0)] = value
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value
}

/** The octet of two hexadecimal digits, given as character codes; -1 if they are not digits. */
export function hexOctet(high: number | undefined, low: number | undefined): number {
  const upper = DIGITS[high ?? 0] ?? -1
  const lower = DIGITS[low ?? 0] ?? -1
  return upper < 0 || lower < 0 ? -1 : upper * 16 + lower
}
