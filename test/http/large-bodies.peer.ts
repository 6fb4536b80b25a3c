import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { World } from '#test/world/world.ts'

const run = promisify(execFile)
const world = await World.ofFile()
const organization = await world.organization()

/** Sends the whole body, then reads, as most programs in Python do. */
const withHttpClient = `
import http.client, sys
host, key, path, size, connection = sys.argv[1:]
client = http.client.HTTPConnection(host)
headers = {'Authorization': 'Bearer ' + key, 'Content-Type': 'application/json', 'Connection': connection}
client.request('POST', path, body=b' ' * int(size), headers=headers)
answer = client.getresponse()
print(answer.status, answer.read().decode())
`
const withUrllib = `
import sys, urllib.error, urllib.request
host, key, path, size, _ = sys.argv[1:]
headers = {'Authorization': 'Bearer ' + key, 'Content-Type': 'application/json'}
try:
    urllib.request.urlopen(urllib.request.Request('http://' + host + path, data=b' ' * int(size), headers=headers))
except urllib.error.HTTPError as answer:
    print(answer.status, answer.read().decode())
`

for (const [what, program] of [
  ['http.client', withHttpClient],
  ['urllib', withUrllib],
] as const)
  for (const [path, size, limit] of [
    ['/v1/scheduled', 13_000_000, /^400 .*larger than 12 MiB/],
    ['/v1/scheduled', 40_000_000, /^400 .*larger than 12 MiB/],
    ['/v1/labels', 9 << 20, /^400 .*larger than 1 MiB/],
  ] as const) {
    test(`Python's ${what} hears the limit that its ${size} octets for ${path} are over, every time`, async () => {
      for (let time = 0; time < 4; time++) {
        const connection = time % 2 ? 'close' : 'keep-alive'
        const { host } = new URL(world.base)
        const args = ['-c', program, host, organization.key, path, String(size), connection]
        const { stdout } = await run('/usr/bin/python3', args)
        assert.match(stdout, limit)
      }
    })

    test(`it hears that it has no key, too (${what}, ${size} octets for ${path})`, async () => {
      const args = ['-c', program, new URL(world.base).host, 'none', path, String(size), 'close']
      assert.match((await run('/usr/bin/python3', args)).stdout, /^401 /)
    })
  }
