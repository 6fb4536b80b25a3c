// Mail archives read as conversations, by us and by a real Dovecot: npm run node -- test/peers/dovecot/conversations/compare.ts [--http|--imap] MBOX…
// All the files together are one folder. With --http, our side goes through the mail host and is asked over HTTP; with
// --imap so does it, and the mail host is an IMAP server, another Dovecot.
import { parseArgs } from 'node:util'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { World } from '#test/world/world.ts'
import { compare } from './comparison.ts'
import { DovecotProcess } from './dovecot-process.ts'
import { headersIn } from './mbox.ts'
import { indexReader, serviceReader } from './our-readers.ts'

const { values, positionals } = parseArgs({
  options: { http: { type: 'boolean' }, imap: { type: 'boolean' } },
  allowPositionals: true,
})
await using dovecot = await DovecotProcess.start()
await using server = values.imap ? await DovecotServer.start() : undefined
const env = server && { MAILROOM_IMAP_URL: server.url }
await using world = values.http || values.imap ? await World.start({ ...(env && { env }) }) : undefined
const us = world ? await serviceReader(world) : indexReader()
const compared = await compare(dovecot, us, headersOf(positionals))
process.stdout.write(`${JSON.stringify(compared, null, 2)}\n`)
if (compared.joinedByUs.unexplained + compared.joinedByRefs.unexplained > 0) process.exitCode = 1

async function* headersOf(paths: readonly string[]) {
  for (const path of paths) yield* headersIn(path)
}
