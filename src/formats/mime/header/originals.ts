import { forwardedField } from './forwarded-field.ts'
import type { Headers } from './headers.ts'
import { idsIn } from './references.ts'

/** The Message-IDs of the messages that a sent one answers, and of those that it forwards. */
export interface Originals {
  readonly answered: readonly string[]
  readonly forwarded: readonly string[]
}

/** More than anybody answers or forwards at once. */
const mostOriginals = 100

/** An answer names in In-Reply-To what it answers, or else last in References (RFC 5322, section 3.6.4). Thunderbird names there what it
 *  forwards, too. */
export function originalsOf(headers: Headers): Originals {
  const forwarded = [...new Set(idsIn(headers, forwardedField.toLowerCase()))].slice(0, mostOriginals)
  const answered = idsIn(headers, 'in-reply-to')
  if (answered.length === 0) answered.push(...idsIn(headers, 'references').slice(-1))
  const only = new Set(answered).difference(new Set(forwarded))
  return { answered: [...only].slice(0, mostOriginals), forwarded }
}
