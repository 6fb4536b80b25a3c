import { quote, Unusable } from './reader.ts'

const example = 'an origin such as https://mail.example.com'

/**
 * Reads the origin under which clients reach the HTTP API.
 * @throws Unusable, without the password that the URL may hold
 */
export function parsePublicUrl(text: string): string {
  // What URL would silently leave out was not meant.
  const url = !/[\s\\\0-\x1f]/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url && url.username + url.password !== '') throw new Unusable(`holds a user or a password: set it to ${example}`)
  if (!url || !/^https?:\/\//i.test(text)) throw new Unusable(`is ${quote(text)}: set it to ${example}`)
  // Behind a path the API is not found: its routes and the page's files have none in front.
  if (url.pathname !== '/' || /[?#]/.test(text))
    throw new Unusable(`holds more than a scheme, a name and a port: set it to ${example}`)
  return url.origin
}
