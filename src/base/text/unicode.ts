/**
 * A Unicode normalization form. `String.normalize` puts marks in order by moving each past those before it: 30,000 in a row take a
 * second, and four times as many sixteen. So the marks of a longer run are put in order in parts, as UAX #15, section 13 allows.
 */
export function normalized(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  if (text.length <= mostMarks || !manyMarks.test(text)) return text.normalize(form)
  return text.replace(untilManyMarks, (part) => part.normalize(form))
}

/** Of a run of marks that is put in order as a whole. People write two or three on a letter. */
const mostMarks = 256
const mark = String.raw`[\p{M}\uff9e\uff9f]`
const manyMarks = new RegExp(`${mark}{${mostMarks + 1}}`, 'u')
const untilManyMarks = new RegExp(`${mark.replace('[', '[^')}*${mark}{0,${mostMarks}}`, 'gu')
