import type { Address, Message } from '../../api/generated.ts'
import { written } from './addresses.ts'

export type Mode = 'reply' | 'reply_all' | 'forward'

type Original = Pick<
  Message,
  'from' | 'to' | 'cc' | 'reply_to' | 'subject' | 'message_id' | 'in_reply_to' | 'references'
>

interface Answer {
  readonly to: string[]
  readonly cc: string[]
  readonly subject: string
  readonly inReplyTo?: string
  readonly references?: string[]
}

/** To whom an answer goes and what it is called. `own` are the addresses of whoever answers: they get no copy. */
export function answerTo(original: Original, mode: Mode, own: ReadonlySet<string>): Answer {
  const subject = subjectFor(original.subject, mode)
  if (mode === 'forward') return { to: [], cc: [], subject }
  const isOwn = ({ address }: Address) => own.has(address.toLowerCase())
  const author = original.reply_to.length > 0 ? original.reply_to : [original.from]
  // To go on in what one has written oneself is to write to its recipients.
  const goesOn = isOwn(original.from) && original.to.length > 0
  const to = goesOn ? original.to : author
  const all = mode === 'reply_all'
  const direct = distinct(goesOn || !all ? to : [...to, ...original.to.filter((one) => !isOwn(one))])
  const copies = all
    ? distinct(
        original.cc.filter((one) => !isOwn(one)),
        direct,
      )
    : []
  return { to: direct.map(written), cc: copies.map(written), subject, ...threadOf(original) }
}

/** RFC 5322, section 3.6.4. */
function threadOf({ message_id, in_reply_to, references }: Original): Pick<Answer, 'inReplyTo' | 'references'> {
  if (!message_id.includes('@')) return {}
  const before = references.length > 0 ? references : in_reply_to === null ? [] : [in_reply_to]
  const all = [...before.filter((id) => id.includes('@') && id !== message_id), message_id]
  // The service takes a hundred: the first, which names the conversation, and the newest.
  return { inReplyTo: message_id, references: all.length <= 100 ? all : [...all.slice(0, 1), ...all.slice(-99)] }
}

const replied = /^\s*(?:(?:re|aw|sv|antw|vs|ref|rif|res|odp|ynt)(?:\[\d+\])?\s*:\s*)+/i
const forwarded = /^\s*(?:(?:fwd?|wg|tr|vb|vl|rv|enc|i|doorst)\s*:\s*)+/i

function subjectFor(subject: string, mode: Mode): string {
  const line = subject.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const rest = line.replace(mode === 'forward' ? forwarded : replied, '')
  return `${mode === 'forward' ? 'Fwd' : 'Re'}: ${rest}`.slice(0, 998)
}

function distinct(people: readonly Address[], without: readonly Address[] = []): Address[] {
  const seen = new Set(without.map(({ address }) => address.toLowerCase()))
  return people.filter(({ address }) => {
    const key = address.toLowerCase()
    if (key === '' || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
