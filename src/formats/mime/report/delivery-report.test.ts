import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from '#test/world/each.ts'
import { rawOf, samples } from '#test/world/letters/reports/samples.ts'
import { readMessage } from '../read-message.ts'
import { readReport } from './delivery-report.ts'

const read = (bytes: Buffer) => readReport(readMessage(bytes))

function described(bytes: Buffer): string {
  const report = read(bytes)
  if (report === undefined) return 'none'
  const some = (names: readonly string[]) => names.join(' ') || '-'
  if (report.kind === 'feedback') return `feedback ${report.type} ${some(report.senders)} ${some(report.names)}`
  return report.recipients.map(({ names, action, status }) => `${some(names)} ${action} ${status ?? '-'}`).join(', ')
}

for (const { name, raw, says } of samples) test(`a report: ${name}`, () => assert.equal(described(raw), says))

test('what the server said is read in one line, with its name', () => {
  const report = read(rawOf('a diagnosis in two lines'))
  assert.ok(report?.kind === 'delivery')
  const diagnostic = '550 5.1.1 <bob@there.example>: Recipient address rejected: User unknown in virtual mailbox table'
  assert.deepEqual(each(report.recipients, 'diagnostic', 'server'), [[diagnostic, 'mx.there.example']])
  const gmail = read(rawOf('a server with words behind it'))
  assert.ok(gmail?.kind === 'delivery')
  assert.equal(gmail.recipients[0]?.server, 'mx.there.example.')
  const qmail = read(rawOf('qmail'))
  assert.ok(qmail?.kind === 'delivery')
  assert.match(qmail.recipients[0]?.diagnostic ?? '', /550 5\.1\.1 User unknown/)
})
