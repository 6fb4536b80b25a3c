import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { databaseHome } from '#test/world/database/database.ts'
import { afterFile, ofFile } from '#test/world/of-file.ts'
import { storeKey } from '#test/world/organization/stored-key.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'

// On one database: a body that is not whole gets no further than the HTTP server.

const MiB = 1 << 20

const home = ofFile(await databaseHome())
const attacker = await storeOrganization(home, { domain: 'attacker.test', mailboxes: ['eve'] })
const other = await storeOrganization(home, { domain: 'other.test', mailboxes: ['ada'] })
/** Of the attacker's organization, too. */
const secondKey = await anotherKey(attacker)
const service = await startService(home.env)
afterFile(() => service.end('SIGKILL'))

async function anotherKey({ organizationId }: StoredOrganization): Promise<string> {
  await using database = await home.open()
  return await storeKey(database.db, organizationId)
}

/** The memory of the service, in octets. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

const unfinishedBody = Buffer.alloc(11_999_999, ' ')

/** Sends all of a body of 12 MB but its last octet. */
async function unfinished(key: string): Promise<Socket> {
  const { hostname: host, port } = new URL(service.http)
  const socket = connect({ host, port: Number(port) })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const fields = ['Host: x', 'Content-Type: application/json', 'Content-Length: 12000000']
  socket.write(['POST /v1/send HTTP/1.1', ...fields, `Authorization: Bearer ${key}`, '\r\n'].join('\r\n'))
  socket.write(unfinishedBody)
  return socket
}

/** Resolves once all of it is taken, or refused and dropped, or nothing more is taken of it. */
async function settled(sockets: readonly Socket[]): Promise<void> {
  const left = () => sockets.reduce((octets, socket) => octets + (socket.destroyed ? 0 : socket.writableLength), 0)
  for (let before = Number.POSITIVE_INFINITY, rounds = 0; left() > 0 && rounds < 20; ) {
    rounds = left() < before ? 0 : rounds + 1
    before = left()
    await new HttpClient(service.http).request('GET', '/v1/labels', { key: other.key })
    await new Promise(setImmediate)
  }
}

async function sends(organization: StoredOrganization, text: string): Promise<number> {
  const [from] = organization.addresses
  const body = { from, to: 'bob@nowhere.example', text }
  const { status } = await new HttpClient(service.http).request('POST', '/v1/send', { key: organization.key, body })
  return status
}

test('150 unfinished bodies of 12 MB, by two keys of an organization: memory stays, and requests are answered, large ones of others too', async () => {
  // What one takes is taken once, whoever comes later.
  assert.equal(await sends(other, 'x'.repeat(8 * MiB)), 202)
  const atRest = await memory()
  const sockets = await Promise.all(
    Array.from({ length: 150 }, (_, number) => unfinished(number % 2 === 0 ? attacker.key : secondKey)),
  )
  try {
    await settled(sockets)
    const grown = (await memory()) - atRest
    assert.ok(grown < 250 * MiB, `it grew by ${Math.round(grown / MiB)} MiB`)
    assert.equal(await sends(attacker, 'Hello'), 202)
    assert.equal(await sends(other, 'Hello'), 202)
    assert.equal(await sends(other, 'x'.repeat(8 * MiB)), 202)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})
