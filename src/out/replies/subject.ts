import type { Mode } from './rules.ts'

/** The equivalents of `Re:` and `Fwd:` in mail programs of other languages. Without words that may begin a subject, such as
 *  the Italian `I:`. */
const replied = 're aw antw antwort sv vs odp ref res rif ynt atb bls απ ответ 回复 回覆 答复 答覆 返信 회신'
const forwarded = 'fwd fw wg tr vb vl enc rv doorst trs ilt 转发 轉寄 轉發 転送'

/** `Re:`, `RE[2]:`, `Re (3):`, `Re^2:`, also with a wide colon. */
function prefix(words: string): RegExp {
  return new RegExp(
    `^\\s*(?:${words.replaceAll(' ', '|')})\\s?(?:\\[\\d{1,3}\\]|\\(\\d{1,3}\\)|\\^\\d{1,3})?\\s?[:：]\\s*`,
    'iu',
  )
}

const replies = prefix(replied)
const forwards = prefix(forwarded)

/** The longest subject of a message, in code points. */
const longest = 998

/** The subject of an answer: one `Re:` or `Fwd:`, however many prefixes, in any language, the original had. */
export function answerSubject(subject: string, mode: Mode): string {
  const [mark, there] = mode === 'forward' ? (['Fwd:', forwards] as const) : (['Re:', replies] as const)
  const text = `${mark} ${withoutPrefix(subject, there)}`.trimEnd()
  return [...text].slice(0, longest).join('')
}

function withoutPrefix(subject: string, there: RegExp): string {
  let rest = subject.trim()
  for (let found = there.exec(rest); found; found = there.exec(rest)) rest = rest.slice(found[0].length)
  return rest
}
