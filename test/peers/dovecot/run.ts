// The journeys of mail, with everything on a PostgreSQL server and all mail on a Dovecot, and what several processes share
// of them. The other journeys have nothing to do with where mail is, or are about our own tables: how they move, what reads
// them, and what fails in them. What stands in the command goes to `test/run.ts`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

const journeys = [
  ...[
    'aliases',
    'approvals',
    'auto-reply',
    'blocks-and-filters',
    'broken-requests',
    'dmarc',
    'drafts',
    'forwarded-proof',
    'forwarding',
    'hostile-mail',
  ],
  ...[
    'hostile-threads',
    'idempotency',
    'input',
    'keys-and-tenancy',
    'kept-verdict',
    'mail-in',
    'mailboxes',
    'message-fields',
  ],
  ...[
    'private-mailboxes',
    'replies',
    'returned-reports',
    'scheduled',
    'scheduled-cancel',
    'scheduled-together',
    'unless-replied',
    'sending',
  ],
  ...['sending-injection', 'suspended-organization'],
]
const others = [
  'test/processes/together.test.ts',
  'src/changes/routes.test.ts',
  'src/conversations/not-delivered.test.ts',
  'src/changes/undo.test.ts',
  'src/filters/runs/routes.test.ts',
  'src/messages/erase/erase.test.ts',
]
const files = [...journeys.map((name) => `test/journeys/${name}.test.ts`), ...others]
const child = spawn(process.execPath, ['test/run.ts', ...process.argv.slice(2), ...files], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const [code] = (await once(child, 'exit')) as [number | null]
process.exitCode = code ?? 1
