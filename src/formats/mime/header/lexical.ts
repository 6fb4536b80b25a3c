/** Where the comment (RFC 5322, section 3.2.2) that opens at `start` closes. Comments nest, and a backslash quotes the next
 *  character. Undefined if it does not close; then it is no comment. */
export function endOfComment(value: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x28) depth++
    else if (code === 0x29 && --depth === 0) return at
  }
  return undefined
}

/** The value, or its octets, without comments, trimmed. Ignores quoted strings. */
export function withoutComments(value: string): string {
  let kept = ''
  let from = 0
  for (let open = value.indexOf('('); open >= 0; open = value.indexOf('(', from)) {
    const end = endOfComment(value, open)
    if (end === undefined) break
    kept += `${value.slice(from, open)} `
    from = end + 1
  }
  return trimSpace(kept + value.slice(from))
}

/** Not String.trim, which treats octet 0xa0 as a space and could split a UTF-8 character. */
export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpaceOrControl(text.charCodeAt(start))) start++
  while (end > start && isSpaceOrControl(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** An escape may begin text in ISO-2022-JP. */
function isSpaceOrControl(code: number): boolean {
  return code <= 0x20 && code !== 0x1b
}
