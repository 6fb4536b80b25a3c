import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { databaseHome } from '#test/world/database/database.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { startService } from '#test/world/service.ts'

/** Prints each received line. It closes passed file descriptors, which the sender waits for. */
const listener = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('listening', flush=True)
while True:
    print(s.recv(4096).decode(), flush=True)
`

const socket = join(directoryOfFile(), 'notify')

test('systemd is notified when the service serves, and when it stops', async () => {
  const systemd = spawn('python3', ['-c', listener, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const lines = createInterface(systemd.stdout)[Symbol.asyncIterator]()
    const until = async (wanted: string) => {
      for (;;) {
        const { value, done } = await lines.next()
        assert.ok(!done, `it ended before ${wanted}`)
        if (value === wanted) return
      }
    }
    await until('listening')
    await using home = await databaseHome()
    const service = await startService({ ...home.env, NOTIFY_SOCKET: socket })
    await until('READY=1')
    assert.equal((await fetch(`${service.http}/healthz`)).status, 200)
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    await until('STOPPING=1')
    assert.ok(!service.written().includes('could not be sent to systemd'))
  } finally {
    systemd.kill('SIGKILL')
    await once(systemd, 'exit')
  }
})
