import { canonicalAddress, splitAddress, stripTag } from '../address/address.ts'
import type { Headers } from '../header/headers.ts'
import { withoutComments } from '../header/lexical.ts'
import { isAutomatic } from './report-fields.ts'

/** Why a header says that no answer is expected (RFC 3834, section 2; RFC 5230, section 4.6); undefined if it does not. */
export function whyUnanswerable(headers: Headers): string | undefined {
  if (headers.fields.some(({ name }) => name.startsWith('list-'))) return 'it comes from a list'
  if (headers.all('precedence').some((value) => /^(?:bulk|junk|list)$/i.test(withoutComments(value)))) {
    return 'it is bulk mail'
  }
  if (isAutomatic(headers)) return 'it was sent automatically'
  if (headers.count('x-auto-response-suppress') > 0) return 'it asks for no automatic answer'
  if (/^\s*multipart\/report\b/i.test(headers.first('content-type') ?? '')) return 'it is a report'
  return undefined
}

const robots =
  /^(?:mailer-daemon|mailer|daemon|listserv|majordomo|mailman|owner-.*|.*-(?:request|owner|bounces?)|(?:.*[-_.])?(?:no|do[-_.]?not|dont)[-_.]?reply.*|bounces?(?:[-+=_.].*)?|srs[01]?[=+-].*)$/i

/** Whether an address is a program's by its name, as `no-reply`. */
export function isRobot(address: string): boolean {
  const { local } = splitAddress(canonicalAddress(address) ?? address) ?? { local: address }
  return robots.test(local) || robots.test(stripTag(local))
}
