import { quote, Unusable } from './reader.ts'

const example = 'an origin such as https://mail.example.com'

/**
 * Reads the origin under which clients reach the HTTP API.
 * @throws Unusable, without the password that the URL may hold
 */
export function parsePublicUrl(text: string): string {
  // `URL` would silently remove these characters.
  const url = !/[\s\\\0-\x1f]/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url && url.username + url.password !== '') throw new Unusable(`holds a user or a password: set it to ${example}`)
  if (!url || !/^https?:\/\//i.test(text)) throw new Unusable(`is ${quote(text)}: set it to ${example}`)
  // The API has no prefix: its routes and the files of the page begin at the root.
  if (url.pathname !== '/' || /[?#]/.test(text))
    throw new Unusable(`holds more than a scheme, a name and a port: set it to ${example}`)
  return url.origin
}
