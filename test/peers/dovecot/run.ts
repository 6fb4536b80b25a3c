// Runs the journeys of mail on a PostgreSQL server with all mail on a Dovecot, and those of several processes.
// The other journeys do not depend on the mail host, or are about our own tables.
// Arguments go to `test/run.ts`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

const journeys = {
  arriving: [
    'aliases',
    'auto-reply',
    'blocks-and-filters',
    'dmarc',
    'forwarded-proof',
    'forwarding',
    'hostile-mail',
    'kept-verdict',
    'mail-in',
    'private-mailboxes',
    'returned-reports',
    'suspended-organization',
  ],
  sending: ['approvals', 'drafts', 'edited-drafts', 'replies', 'sending', 'sending-injection'],
  http: ['broken-requests', 'cursors', 'idempotency', 'input'],
  reading: ['hostile-threads', 'message-fields', 'page-by-page'],
  access: ['keys-and-isolation', 'mailboxes'],
  scheduled: ['scheduled', 'cancel', 'together', 'unless-replied'],
}
const others = [
  'test/search/corpus.test.ts',
  'test/search/fuzz.test.ts',
  'test/search/routes.test.ts',
  'src/changes/routes.test.ts',
  'src/changes/undo.test.ts',
  'src/conversations/bodies.test.ts',
  'src/conversations/history.test.ts',
  'src/conversations/not-delivered.test.ts',
  'src/conversations/routes.test.ts',
  'src/filters/runs/routes.test.ts',
  'src/labels/hygiene.test.ts',
  'src/messages/erase/erase.test.ts',
  'src/messages/folders/folders.test.ts',
  'src/messages/routes.test.ts',
  'src/threads/routes.test.ts',
]
const files = Object.entries(journeys).flatMap(([room, names]) =>
  names.map((name) => `test/journeys/${room}/${name}.test.ts`),
)
const child = spawn(process.execPath, ['test/run.ts', ...process.argv.slice(2), ...files, ...others], {
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const [code] = (await once(child, 'exit')) as [number | null]
process.exitCode = code ?? 1
