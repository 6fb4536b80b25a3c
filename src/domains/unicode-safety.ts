/** Whether a label in Unicode can be shown without being taken for another name, by the rules that browsers go by
 *  (UTS 39 5.2, highly restrictive): letters of one script, or of what is written together, none that looks like ASCII
 *  throughout, nothing invisible. An ASCII label always can, unless it is an A-label that could not be decoded. */
export function readsAsItIs(label: string): boolean {
  if (/^[\x21-\x7e]*$/.test(label)) return !label.startsWith('xn--')
  if (!/^[\p{L}\p{M}0-9·・\u{30fb}-]+$/u.test(label) || /\p{M}{3}/u.test(label)) return false
  return (
    writtenTogether.some((script) => script.test(label)) &&
    !/^[a-z0-9аԁеһіјӏорԛѕԝухүъьѵгпԥωοανρϲϳυκτιօսոսզհցյ-]+$/u.test(label)
  )
}

const common = '0-9·-'

/** Scripts in everyday use (UAX 31, table 5), and the three mixtures of East Asia. */
const writtenTogether: readonly RegExp[] = [
  // Latin letters that languages are written in, without the phonetic ones and other look-alikes.
  new RegExp(`^[a-z${common}ß-öø-ÿĀ-ſƒơưǎ-ǜșțəḀ-ỹ]+$`, 'u'),
  ...[
    'Arabic',
    'Armenian',
    'Bengali',
    'Cyrillic',
    'Devanagari',
    'Ethiopic',
    'Georgian',
    'Greek',
    'Gujarati',
    'Gurmukhi',
    'Hebrew',
    'Kannada',
    'Khmer',
    'Lao',
    'Malayalam',
    'Myanmar',
    'Oriya',
    'Sinhala',
    'Tamil',
    'Telugu',
    'Thaana',
    'Thai',
    'Tibetan',
  ].map((script) => new RegExp(`^[\\p{scx=${script}}${common}]+$`, 'u')),
  new RegExp(`^[a-z\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}${common}]+$`, 'u'),
  new RegExp(`^[a-z\\p{scx=Han}\\p{scx=Hangul}${common}]+$`, 'u'),
  new RegExp(`^[a-z\\p{scx=Han}\\p{scx=Bopomofo}${common}]+$`, 'u'),
]
