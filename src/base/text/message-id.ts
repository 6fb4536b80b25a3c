/** The id of a message as everybody is shown it (RFC 8474, EMAILID): `m` and the number in base 36. */
export function publicId(id: number): string {
  return `m${id.toString(36)}`
}

/** Undefined for what no message is called. */
export function readPublicId(text: string): number | undefined {
  const id = /^m[1-9a-z][0-9a-z]{0,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : Number.NaN
  return Number.isSafeInteger(id) ? id : undefined
}
