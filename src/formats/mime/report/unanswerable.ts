import { canonicalAddress, splitAddress, stripTag } from '../address/address.ts'
import type { Headers } from '../header/headers.ts'
import { withoutComments } from '../header/lexical.ts'
import { isAutomatic } from './report-fields.ts'

/** Why a header says that no answer is expected (RFC 3834, section 2; RFC 5230, section 4.6); undefined if it does not. */
export function whyUnanswerable(headers: Headers): string | undefined {
  if (headers.fields.some(({ name }) => name.startsWith('list-') || lists.has(name))) return 'it comes from a list'
  if (headers.all('precedence').some((value) => /^(?:bulk|junk|list)$/i.test(withoutComments(value)))) {
    return 'it is bulk mail'
  }
  if (isAutomatic(headers)) return 'it was sent automatically'
  if (headers.all('x-auto-response-suppress').some(suppresses)) return 'it asks for no automatic answer'
  if (/^\s*multipart\/report\b/i.test(headers.first('content-type') ?? '')) return 'it is a report'
  return undefined
}

const lists = new Set(['mailing-list', 'x-mailing-list'])

/** Whether the values of X-Auto-Response-Suppress (MS-OXCMAIL, section 2.1.3.2.20) include automatic answers: not where there are none, or
 *  only reports of delivery and reading are named. */
function suppresses(value: string): boolean {
  const named = withoutComments(value)
    .toLowerCase()
    .split(/[\s,;]+/)
  return named.some((one) => one !== '' && !['none', 'dr', 'ndr', 'rn', 'nrn'].includes(one))
}

const robots =
  /^(?:mailer-daemon|mailer|daemon|listserv|majordomo|mailman|owner-.*|.*-(?:request|owner|bounces?)|(?:.*[-_.])?(?:no|do[-_.]?not|dont)[-_.]?reply.*|bounces?(?:[-+=_.].*)?|srs[01]?[=+-].*)$/i

/** Whether an address is a program's by its name, as `no-reply`. */
export function isRobot(address: string): boolean {
  const { local } = splitAddress(canonicalAddress(address) ?? address) ?? { local: address }
  return robots.test(local) || robots.test(stripTag(local))
}
