import type { Reading } from './read-text.ts'

/** What happened to a value on its way into the DNS, or else what is wrong with it, in sentences. Undefined for a text
 *  that has nothing to do with such a record. */
export function diagnoseValue(text: string, reading: Reading): string | undefined {
  const { mended, mishaps } = mend(text)
  const meant = reading.isMeant(mended)
  if (mishaps.length === 0 || !meant) return reading.isMeant(text) ? reading.fault(text) : undefined
  const fault = reading.fault(mended)
  if (fault !== undefined && reading.isMeant(text)) return reading.fault(text)
  return fault === undefined ? mishaps.join(' ') : `${mishaps.join(' ')} ${fault}`
}

/** The value as it was meant, with a sentence for each mishap that it suffered. */
export function mend(text: string): { mended: string; mishaps: string[] } {
  let mended = text.trim()
  const mishaps: string[] = []
  for (const [mishap, undo] of undoings) {
    const undone = undo(mended).trim()
    if (undone !== mended) mishaps.push(mishap)
    mended = undone
  }
  return { mended, mishaps }
}

const undoings: readonly (readonly [string, (text: string) => string])[] = [
  [
    'The whole line of a zone file was entered as the value: enter only what follows TXT.',
    (text) => text.slice(0, 512).replace(/^\S+\s+(\d+\s+)?(IN\s+)?TXT\s+/, '') + text.slice(512),
  ],
  ['Backslashes are part of the value: enter it without them.', (text) => text.replace(/\\(?=[;"])/g, '')],
  [
    'Quotation marks are part of the value: enter it without them.',
    (text) =>
      quotation.test(text)
        ? text
            .replace(/"\s*"/g, '')
            .replace(/["“”„]/g, '')
            .replace(/^'|'$/g, '')
        : text,
  ],
]

const quotation = /^["“”„']/
