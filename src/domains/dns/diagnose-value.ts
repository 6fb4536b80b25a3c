import type { Reading } from './read-text.ts'

/** How a value was damaged on its way into the DNS, or what else is wrong with it, in sentences. Undefined for a text that
 *  is no such record. */
export function diagnoseValue(text: string, reading: Reading): string | undefined {
  const { value, mishaps } = repaired(text)
  const meant = reading.isMeant(value)
  if (mishaps.length === 0 || !meant) return reading.isMeant(text) ? reading.fault(text) : undefined
  const fault = reading.fault(value)
  if (fault !== undefined && reading.isMeant(text)) return reading.fault(text)
  return fault === undefined ? mishaps.join(' ') : `${mishaps.join(' ')} ${fault}`
}

/** The intended value, with a sentence for each kind of damage. */
export function repaired(text: string): { value: string; mishaps: string[] } {
  let value = text.trim()
  const mishaps: string[] = []
  for (const [mishap, undo] of undoings) {
    const undone = undo(value).trim()
    if (undone !== value) mishaps.push(mishap)
    value = undone
  }
  return { value, mishaps }
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
