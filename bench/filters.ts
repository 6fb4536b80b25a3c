import { type Filter, mostFilters } from '#/rules/filters/filter.ts'
import { filterInput, withRecipient } from '#/rules/filters/filter-input.ts'
import { applyFilters, compileFilter } from '#/rules/filters/matching.ts'
import { readMessage } from '../src/formats/mime/read-message.ts'
import { median, type Row } from './report.ts'

/** As many filters as an organization may have on one message, against reading that message. */
export async function filters({ count = mostFilters, rounds = 41 } = {}): Promise<Row[]> {
  const rules = Array.from({ length: count }, (_, number) => compileFilter(filter(number), `id ${number}`))
  const raw = Buffer.from(letter)
  const reading: number[] = []
  const filtering: number[] = []
  for (let round = 0; round < rounds; round++) {
    reading.push(cpuOf(() => readMessage(raw)))
    const message = readMessage(raw)
    filtering.push(cpuOf(() => applyFilters(rules, withRecipient(filterInput(message), 'ada@tryout.test'), 'inbox')))
  }
  const ratio = median(filtering.map((ms, round) => ms / (reading[round] ?? 0)))
  const from = `${(median(filtering) * 1000).toFixed(0)} µs against ${(median(reading) * 1000).toFixed(0)} µs`
  return [
    { what: `CPU time of ${count} filters`, value: median(filtering), unit: 'ms', most: 1 },
    { what: 'against reading the message', value: ratio, unit: '×', from },
  ]
}

const repeats = 200

/** Milliseconds for each time. */
function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let count = 0; count < repeats; count++) work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000 / repeats
}

function filter(
  number: number,
): Pick<Filter, 'name' | 'field' | 'op' | 'value' | 'action' | 'argument' | 'enabled' | 'broken'> {
  const field = (['from', 'to', 'subject'] as const)[number % 3] ?? 'from'
  const value = field === 'subject' ? `Order ${number}` : `person${number}@host${number % 50}.example`
  // One in a hundred fits the letter below.
  const fits = number % 100 === 7
  return {
    name: `Rule ${number}`,
    field: fits ? 'subject' : field,
    op: !fits && number % 2 ? 'is' : 'contains',
    value: fits ? 'order' : value,
    action: number % 5 ? 'label' : 'star',
    argument: number % 5 ? `keyword-${number}` : null,
    enabled: true,
    broken: null,
  }
}

const words = 'Dear Ada, the order has left our house today and should be with you before the end of the week. '
const letter = [
  'Received: from mail.books.example (mail.books.example [192.0.2.7]) by mx.tryout.test with ESMTPS; Sat, 21 Nov 2026 07:44:33 +0000',
  'From: =?utf-8?q?Ann_L=C3=A9e?= <ann@books.example>',
  `To: ${Array.from({ length: 10 }, (_, n) => `Person Number ${n} <reader${n}@people.example>`).join(',\r\n ')}`,
  'Cc: Support <support@tryout.test>',
  'Subject: =?utf-8?q?Your_order_has_shipped_=E2=80=93_two_books?=',
  'Message-ID: <order-1@books.example>',
  'References: <a1@tryout.test> <a2@books.example> <a3@tryout.test>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary=b1',
  '',
  '--b1',
  'Content-Type: text/plain; charset=utf-8',
  '',
  ...Array.from({ length: 20 }, () => words),
  '--b1',
  'Content-Type: text/html; charset=utf-8',
  '',
  ...Array.from({ length: 20 }, () => `<p>${words}</p>`),
  '--b1--',
  '',
].join('\r\n')
