import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { hasText } from '#/base/text/find-text.ts'
import { readContent } from './content.ts'

/** Whether the HTML of a message contains this address, as written or as a decoded attribute: a client cannot have the service fetch
 *  anything else. */
export function messageNames(raw: Buffer, address: string): boolean {
  return namesAddress(readContent(raw).html ?? '', address)
}

export function namesAddress(html: string, address: string): boolean {
  return hasText(html, address) || hasText(decodeHTMLAttribute(html), address) || hasText(decodeHTML(html), address)
}
