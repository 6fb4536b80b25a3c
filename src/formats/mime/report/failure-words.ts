import type { Message } from '../message.ts'
import { isAutomatic, isDaemon } from './report-fields.ts'

/** What a report of failure says, in the languages that such reports are in. */
const failure = new RegExp(
  [
    'could(?:n.t| not) (?:be )?(?:deliver|reach|sen)|was(?:n.t| not) able to deliver|unable to (?:deliver|relay)|undeliver|not deliverable',
    String.raw`did(?:n.t| not) (?:reach|like our)|failed permanently|(?:permanent(?:ly)?|fatal|delivery)(?: \w+)? (?:error|fail|problem)`,
    String.raw`delivery (?:\w+ )*(?:has )?failed|failed to (?:deliver|send)|failed addresses|delivery fail|failure notice|mail fail|returned? (?:mail|to sender)`,
    String.raw`cannot be delivered|not been delivered to|error (?:has occurred|delivering|sending|in sending)|ouble delivering|giving up|was aborted after|envelope expired|notification[^\n]{0,20}\b(?:fail|error)|"notificationtype":"bounce"`,
    String.raw`host unknown|(?:user|recipient|mailbox|address) (?:\w+ )?(?:unknown|full|not found)|unknown (?:user|host|recipient)|invalid user|no such user|malformed address`,
    String.raw`(?:^|\s)(?:#?5\.\d{1,3}\.\d{1,3}\b|5[0-7]\d[ -])`,
    "konnte nicht|n'a pas pu|no se pudo|non (?:è|e') stat|не удалось доставить|не доставлено|無法傳送|无法投递|退信|退回",
    '送信できません|送信に失敗|配信できません|配信に失敗|届けられません|エラー通知',
  ].join('|'),
  'i',
)

/** What a report of a delay says. */
const delay =
  /(?:has|have) been delayed|is delayed|delayed (?:for more than )?\d+ hours|\(delay\)|not yet been delivered|warning message|will (?:be )?(?:continue|keep|retr)|still (?:being )?(?:trying|tried|attempt)|no action is required|do not need to re-?send|temporar(?:y|ily) (?:problem|delay|failure report)/i

export interface Words {
  readonly subject: string
  readonly text: string
}

/** Whether a server seems to have written the message. Without a telling sender the null return path and the subject say so. */
export function isByServer({ headers, sender }: Pick<Message, 'headers' | 'sender'>): boolean {
  if (sender.some(({ name, address }) => isDaemon(address || name))) return true
  const isNull = headers.all('return-path').some((path) => /^\s*<>\s*$/.test(path))
  return (isNull || isAutomatic(headers)) && failure.test(headers.text('subject'))
}

/** What a server's message says of a delivery; undefined if it says neither. */
export function outcomeIn({ subject, text }: Words): 'failed' | 'delayed' | undefined {
  if (delay.test(`${subject}\n${text}`)) return 'delayed'
  return failure.test(`${subject}\n${text}`) ? 'failed' : undefined
}

/** Whether a server that calls a delivery delayed has given it up: the subject says so, and nothing says that it goes on. */
export function isGivenUp(words: Words): boolean {
  return /\b(?:fail(?:ed|ure)|error|undeliver|returned)/i.test(words.subject) && outcomeIn(words) === 'failed'
}
