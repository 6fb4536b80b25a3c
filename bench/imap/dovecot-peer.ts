import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { password, passwordHash } from '#test/world/imap/serving.ts'
import { appendOf, ImapLoadClient } from '../load/imap-client.ts'
import { Letters } from '../mailbox/letters.ts'
import type { Peer } from './peer.ts'

const run = promisify(execFile)

/** As Dovecot has it by itself, with Xapian for searches. */
const settings = `
mail_fsync = optimized
mail_plugins = fts fts_xapian
plugin {
  fts = xapian
  fts_xapian = partial=3 full=20
  fts_enforced = yes
  fts_autoindex = no
}
`

/** A Dovecot with the same letters, its caches and its index made. */
export async function startDovecot(
  resources: AsyncDisposableStack,
  { messages, synced }: { messages: number; synced: number },
): Promise<Peer> {
  const server = resources.use(await DovecotServer.start(settings, await passwordHash))
  await copy(await prepared(messages), server.mailOf('ada'))
  await copy(await prepared(synced), server.mailOf('bob'))
  return { port: server.server.port, login: 'ada', syncing: 'bob', password }
}

/** A directory with a mailbox of so many messages, as Dovecot keeps it. To make one takes long, so it is kept between runs, under a
 *  name that follows what is in it. */
async function prepared(messages: number): Promise<string> {
  const hash = createHash('sha256').update(settings)
  for (const name of ['../mailbox/letters.ts', 'dovecot-peer.ts'])
    hash.update(await readFile(join(import.meta.dirname, name)))
  const made = join(tmpdir(), `mailroom-imap-${messages}-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(made)) return made
  await using server = await DovecotServer.start(`${settings}mail_fsync = never\n`)
  await using client = await ImapLoadClient.open({ port: server.server.port, login: 'ada', password: 'any' })
  const letters = new Letters()
  while (letters.count < messages) {
    const batch = Math.min(500, messages - letters.count)
    await client.run(...Array.from({ length: batch }, () => appendOf('INBOX', letters.next(), letters.marks())))
  }
  await client.run('SELECT INBOX', `FETCH 1:* (ENVELOPE BODYSTRUCTURE)`)
  await server.index('ada')
  const making = await mkdtemp(`${made}-`)
  await copy(server.mailOf('ada'), join(making, 'ada'))
  await rename(join(making, 'ada'), made).catch(() => {})
  await rm(making, { recursive: true })
  return made
}

/** With its owner, who is not us. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to])
}
