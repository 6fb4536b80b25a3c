/** The tags of a DKIM key, a DMARC policy and the like (RFC 6376, section 3.2), by name. Undefined if it is no such list: an entry
 *  without `name=value`, or a repeated name. */
export function tagList(text: string): ReadonlyMap<string, string> | undefined {
  const tags = new Map<string, string>()
  for (const part of text.replace(/;\s*$/, '').split(';')) {
    const equals = part.indexOf('=')
    const name = part.slice(0, equals).trim()
    if (equals < 0 || !/^[a-z]\w*$/i.test(name) || tags.has(name)) return undefined
    tags.set(name, part.slice(equals + 1).trim())
  }
  return tags
}
