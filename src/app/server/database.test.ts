// On both databases: connections are refused and cut.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { freePort } from '#test/world/sockets/free-port.ts'
import { startWhenThere } from './database.ts'

/** A log, and the lines in it. */
function logged() {
  const lines: string[] = []
  return { lines, log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }) }
}

test('the start fails without a database, after one log line that it waits', async () => {
  const { lines, log } = logged()
  const url = `postgres://user:hunter2@127.0.0.1:${await freePort()}/mailroom`
  await assert.rejects(
    startWhenThere({ url }, log, async () => {}, 700),
    /ECONNREFUSED/,
  )
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /ECONNREFUSED.*the database does not answer; waiting for it/)
  assert.ok(!lines.join().includes('hunter2'))
})

const server = process.env.TEST_DATABASE_URL

/** Before the server: refuses or cuts the connections with these numbers. */
async function before(url: URL, refuse: (number: number, socket: Socket) => boolean) {
  let count = 0
  const proxy = createServer((socket) => {
    socket.on('error', () => {})
    if (refuse(++count, socket)) return
    const inner = connect(Number(url.port || 5432), url.hostname)
    inner.on('error', () => socket.destroy())
    socket.on('close', () => inner.destroy())
    socket.pipe(inner).pipe(socket)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((proxy.address() as AddressInfo).port)
  return {
    url: through.href,
    async [Symbol.asyncDispose]() {
      proxy.close()
      await once(proxy, 'close')
    },
  }
}

/** Answers the first message of a client with an error of the protocol. */
function failing(code: string) {
  return (socket: Socket) => {
    const fields = Buffer.from(`SFATAL\0C${code}\0Mnot now\0\0`)
    const message = Buffer.alloc(5)
    message.write('E')
    message.writeInt32BE(fields.length + 4, 1)
    socket.once('data', () => socket.end(Buffer.concat([message, fields])))
  }
}

if (server !== undefined) {
  for (const [what, refusal, which, said] of [
    ['is starting', failing('57P03'), [1], /"reason":"not now".*does not answer/],
    ['shuts down once it is open', failing('57P01'), [2], /"reason":"not now".*does not answer/],
    ['has no connection free', failing('53300'), [1, 2], /"reason":"not now".*has no connection free/],
    ['has only one connection free', failing('53300'), [2], /"reason":"not now".*has no connection free/],
    ['cuts connections', (socket: Socket) => socket.destroy(), [1, 3], /Connection terminated|ECONNRESET/],
  ] as const) {
    test(`the start waits for a server that ${what}, says so, and gives back what it had`, async () => {
      await using proxy = await before(new URL(server), (number, socket) => {
        if (!(which as readonly number[]).includes(number)) return false
        refusal(socket)
        return true
      })
      const { lines, log } = logged()
      let open = 0
      let most = 0
      const started = await startWhenThere({ url: proxy.url }, log, async (database) => {
        await using stack = new AsyncDisposableStack()
        stack.use(database)
        open++
        stack.defer(async () => void open--)
        const together = await Promise.all([1, 2].map(() => database.pool.query<{ n: number }>('select 1 as n')))
        most = database.pool.options.max
        return together.map(({ rows }) => rows[0]?.n)
      })
      assert.deepEqual([started, open], [[1, 1], 0])
      assert.match(lines[0] ?? '', said)
      assert.equal(most < 10, what.includes('connection free'))
      if (most < 10) assert.match(lines.at(-1) ?? '', /too few connections: this process uses \d for its transactions/)
    })
  }

  test('an error of the start that does not pass ends it at once', async () => {
    const { lines, log } = logged()
    const start = async () => {
      throw new pg.DatabaseError('relation "labels" does not exist', 0, 'error')
    }
    await assert.rejects(startWhenThere({ url: server }, log, start), /does not exist/)
    assert.deepEqual(lines, [])
  })
}
