// Mail archives read as conversations, by us and by a real Dovecot: node test/dovecot/compare.ts [--http] MBOX…
// All the files together are one folder. With --http, our side goes through the mail host and is asked over HTTP.
import { parseArgs } from 'node:util'
import { World } from '../world.ts'
import { compare } from './comparison.ts'
import { Dovecot } from './dovecot.ts'
import { headersIn } from './mbox.ts'
import { indexReader, serviceReader } from './our-readers.ts'

const { values, positionals } = parseArgs({ options: { http: { type: 'boolean' } }, allowPositionals: true })
await using dovecot = await Dovecot.start()
await using world = values.http ? await World.start() : undefined
const us = world ? await serviceReader(world) : indexReader()
const compared = await compare(dovecot, us, headersOf(positionals))
process.stdout.write(`${JSON.stringify(compared, null, 2)}\n`)
if (compared.joinedByUs.unexplained + compared.joinedByRefs.unexplained > 0) process.exitCode = 1

async function* headersOf(paths: readonly string[]) {
  for (const path of paths) yield* headersIn(path)
}
