// Compares searches of mail archives with a scan of every message: npm run node -- test/search/archives.ts [--imap] [--queries N] MBOX…
// All the files together are one folder. With --imap the mail host is a Dovecot.
import { parseArgs } from 'node:util'
import { messagesIn } from '#test/peers/dovecot/conversations/mbox.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { World } from '#test/world/world.ts'
import { compareSearches } from './corpus.ts'

const { values, positionals } = parseArgs({
  options: { imap: { type: 'boolean' }, queries: { type: 'string', default: '300' } },
  allowPositionals: true,
})
await using server = values.imap ? await DovecotServer.start() : undefined
await using world = await World.start(server && { env: { MAILROOM_IMAP_URL: server.url } })
const compared = await compareSearches(world, messagesOf(positionals), Number(values.queries))
process.stdout.write(`${JSON.stringify(compared, null, 2)}\n`)
if (compared.differing.length > 0) process.exitCode = 1

async function* messagesOf(paths: readonly string[]) {
  for (const path of paths) yield* messagesIn(path)
}
