import { Refusal } from '#/base/errors.ts'
import type { SearchField, SearchTree } from '#/mail/search-index/query.ts'
import { folderName } from '#/mail/store/folder-name.ts'

/** What may stand before a colon, and the field of the message whose words it looks in. */
export const operators = {
  subject: 'subject',
  from: 'from',
  to: 'to',
  cc: 'cc',
  filename: 'filename',
  label: undefined,
  in: undefined,
  has: undefined,
  is: undefined,
  before: undefined,
  after: undefined,
  older_than: undefined,
  newer_than: undefined,
  larger: undefined,
  smaller: undefined,
  message_id: undefined,
} as const satisfies Record<string, SearchField | undefined>

type Operator = keyof typeof operators

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(operators, name)
}

/** The condition of an operator with its value; a text is the error of the value. */
export function readOperand(operator: Operator, value: string): SearchTree | string {
  switch (operator) {
    case 'label':
      return { kind: 'label', keyword: value.toLowerCase() }
    case 'in':
      return value.toLowerCase() === 'anywhere' ? { kind: 'folder', name: null } : readFolder(value)
    case 'has':
      return value.toLowerCase() === 'attachment' ? { kind: 'attachment' } : 'has: needs attachment'
    case 'is':
      return states.get(value.toLowerCase()) ?? `is: needs one of ${[...states.keys()].join(', ')}`
    case 'before':
    case 'after':
      return readDay(operator, value)
    case 'older_than':
    case 'newer_than':
      return readAge(operator, value)
    case 'larger':
    case 'smaller':
      return readSize(operator, value)
    case 'message_id':
      return { kind: 'message_id', id: /^<.*>$/s.test(value) ? value : `<${value}>` }
    default:
      return `${operator}: needs words`
  }
}

const states: ReadonlyMap<string, SearchTree> = new Map([
  ['unread', { kind: 'unread' }],
  ['read', { kind: 'not', of: { kind: 'unread' } }],
  ['starred', { kind: 'starred' }],
])

function readFolder(value: string): SearchTree | string {
  try {
    return { kind: 'folder', name: folderName(value) }
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function readDay(kind: 'before' | 'after', value: string): SearchTree | string {
  const [, year = '', month = '', date = ''] = /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})$/.exec(value)?.toSpliced(2, 1) ?? []
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  const time = new Date(`${day}T00:00:00Z`)
  const exists = time.getTime() >= 0 && time.toISOString().startsWith(day)
  return exists ? { kind, day } : `${kind}: needs a day such as 2026-11-23`
}

function readAge(kind: 'older_than' | 'newer_than', value: string): SearchTree | string {
  const [, amount, unit] = /^(\d{1,4})([dwmy])$/i.exec(value) ?? []
  const lower = unit?.toLowerCase()
  if (lower !== 'd' && lower !== 'w' && lower !== 'm' && lower !== 'y') {
    return `${kind}: needs days, weeks, months or years, such as 7d, 2w, 6m, 1y`
  }
  return { kind, amount: Number(amount), unit: lower }
}

/** Beyond the size of any message, in ten digits. */
const largest = 9_999_999_999

function readSize(kind: 'larger' | 'smaller', value: string): SearchTree | string {
  const [, amount, unit = ''] = /^(\d{1,10})([kmg]?)b?$/i.exec(value) ?? []
  if (amount === undefined) return `${kind}: needs a size in bytes, such as 5000, 200K, 10M`
  const bytes = Number(amount) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase())
  return { kind, bytes: Math.min(bytes, largest) }
}
