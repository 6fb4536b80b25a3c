// The journeys of mail, with everything on a PostgreSQL server and all mail on a Dovecot, and what several processes share
// of them. What stands in the command goes to `node --test`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

const journeys = [
  ...['auto-reply', 'blocks-and-filters', 'broken-requests', 'dmarc', 'forwarded-proof', 'forwarding', 'hostile-mail'],
  ...['hostile-threads', 'idempotency', 'input', 'keys-and-tenancy', 'mail-in', 'mailboxes', 'private-mailboxes'],
  ...['scheduled', 'scheduled-cancel', 'scheduled-together', 'sending', 'sending-injection'],
]
const files = [...journeys.map((name) => `test/journeys/${name}.test.ts`), 'test/processes/together.test.ts']
/** These look into the tables of mail that is kept in the database, or count on its being there with the commit. */
const inTables = ['row 39', 'of an encrypted message nothing more', 'a deleted mailbox is gone', 'a large mailbox goes']
const options = ['--test', '--test-concurrency=2', '--test-timeout=120000']
const skipped = inTables.map((name) => `--test-skip-pattern=${name}`)
const child = spawn(process.execPath, [...options, ...skipped, ...process.argv.slice(2), ...files], {
  stdio: 'inherit',
})
const [code] = (await once(child, 'exit')) as [number | null]
process.exitCode = code ?? 1
