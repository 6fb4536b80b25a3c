import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { splitAddress } from '#/formats/mime/address/address.ts'
import { Srs } from '#/out/follow-ups/srs.ts'
import { keyring } from '#test/world/installation.ts'
import { afterFile, directoryOfFile } from '#test/world/of-file.ts'
import { untilAnswers } from '#test/world/sockets/answers.ts'
import { freePort } from '#test/world/sockets/free-port.ts'

const postsrsd = '/usr/sbin/postsrsd'
const srs = new Srs(keyring)
const now = new Date()
const us = { mailboxId: '0badcafe-0000-4000-8000-000000000000', domain: 'ours.example' }

if (!existsSync(postsrsd)) throw new Error(`There is no PostSRSd at ${postsrsd}: apt-get install postsrsd`)
const directory = directoryOfFile()
await writeFile(join(directory, 'secret'), 'their secret\n')
const ports = { forward: await freePort(), reverse: await freePort() }
const places = [`-f${ports.forward}`, `-r${ports.reverse}`, '-l127.0.0.1', '-4']
const child = spawn(postsrsd, [`-s${join(directory, 'secret')}`, '-dtheirs.example', ...places], { stdio: 'ignore' })
afterFile(async () => {
  child.kill()
  await once(child, 'exit')
})
await untilAnswers(ports.reverse, child)

/** An address as PostSRSd rewrites it (Postfix's tcp_table protocol). */
async function asked(way: keyof typeof ports, address: string): Promise<string> {
  const socket = connect(ports[way], '127.0.0.1')
  socket.write(`get ${address}\n`)
  const [said] = await once(socket, 'data')
  socket.destroy()
  const [, rewritten] = /^200 (\S+)\n$/.exec(String(said)) ?? []
  assert.ok(rewritten, String(said))
  return rewritten
}

/** Whom a sender that we rewrote stands for. */
function read(sender: string): string {
  const { local, domain } = splitAddress(sender) ?? { local: '', domain: '' }
  const origin = srs.read(local, domain, now)
  assert.ok(origin && 'address' in origin, sender)
  return origin.address
}

test('a sender that we rewrote comes back through PostSRSd', async () => {
  const ours = srs.rewrite('ann@far.example', us, now).sender
  const theirs = await asked('forward', ours)
  assert.match(theirs, /^SRS1=.*==.*@theirs\.example$/)
  const back = await asked('reverse', theirs)
  assert.equal(read(back), 'ann@far.example')
})

test('a sender that PostSRSd rewrote comes back through us', async () => {
  const theirs = await asked('forward', 'ann@far.example')
  assert.match(theirs, /^SRS0=/)
  const ours = srs.rewrite(theirs, us, now).sender
  assert.match(ours, /^SRS1=.*=theirs\.example==.*@ours\.example$/)
  assert.equal(await asked('reverse', read(ours)), 'ann@far.example')
})

test('a sender that has passed both, one of them twice, goes back to its author', async () => {
  const first = await asked('forward', 'ann@far.example')
  const second = srs.rewrite(first, us, now).sender
  const third = await asked('forward', second)
  assert.match(third, /^SRS1=.*@theirs\.example$/)
  assert.equal(await asked('reverse', await asked('reverse', third)), 'ann@far.example')
})
