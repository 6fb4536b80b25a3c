import { invalid } from '#/base/errors.ts'

/** A position in the log, behind the event with these numbers. */
export interface Cursor {
  readonly position: number
  readonly id: number
}

export const beginning: Cursor = { position: 0, id: 0 }

/** Hexadecimal digits of each number: up to 2^56. */
const digits = 14

/** An event's id, which is also a cursor. As texts, ids of later events are greater. */
export function cursorText({ position, id }: Cursor): string {
  return [position, id].map((number) => number.toString(16).padStart(digits, '0')).join('')
}

/** @throws Refusal for anything else */
export function readCursor(text: string, field: string): Cursor {
  const [position, id] = [text.slice(0, digits), text.slice(digits)].map((part) => Number.parseInt(part, 16))
  if (/^[0-9a-f]{28}$/.test(text) && Number.isSafeInteger(position) && Number.isSafeInteger(id))
    return { position: position ?? 0, id: id ?? 0 }
  throw invalid(field, `${field} is not the id of an event, nor a \`next\` that was answered`)
}

export function isBefore(one: Cursor, other: Cursor): boolean {
  return one.position < other.position || (one.position === other.position && one.id < other.id)
}
