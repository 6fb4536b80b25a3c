/** Whether a label in Unicode can be shown without being taken for another name, by the rules that browsers go by
 *  (UTS 39 5.2, highly restrictive): letters of one script, or of those that are written together, not all of them like
 *  ASCII letters, and nothing invisible. A label that still starts with `xn--` could not be decoded. */
export function readsAsItIs(label: string): boolean {
  if (/^[\x21-\x7e]*$/.test(label)) return !label.startsWith('xn--')
  if (!readable.test(label) || /\p{M}{3}/u.test(label) || likeAscii.test(label)) return false
  return writtenTogether.some((script) => script.test(label))
}

/** Letters, marks, ASCII digits, hyphens and the dots within Catalan and Katakana names. */
const readable = /^[\p{L}\p{M}0-9·・-]+$/u

/** Cyrillic, Greek and Armenian letters that are taken for ASCII ones (UTS 39 4, whole-script confusables). */
const likeAscii = /^[аԁеһіјӏорԛѕԝухүъьѵгпԥωοανρϲϳυκτιօսոսզհցյ0-9-]+$/u

const common = '0-9·-'

/** Latin letters that languages are written in, without phonetic ones and other look-alikes. */
const latin = `a-zß-öø-ÿĀ-ſƒơưǎ-ǜșțəḀ-ỹ${common}`

/** Scripts in everyday use (UAX 31, table 5). */
const scripts =
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao ' +
  'Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'

/** What may stand in one label: a script, or a mixture that East Asia writes. */
const writtenTogether: readonly RegExp[] = [
  new RegExp(`^[${latin}]+$`, 'u'),
  ...scripts.split(' ').map((script) => new RegExp(`^[\\p{scx=${script}}${common}]+$`, 'u')),
  ...[['Hiragana', 'Katakana'], ['Hangul'], ['Bopomofo']].map((beside) => {
    const letters = ['Han', ...beside].map((script) => `\\p{scx=${script}}`).join('')
    return new RegExp(`^[a-z${letters}${common}]+$`, 'u')
  }),
]
