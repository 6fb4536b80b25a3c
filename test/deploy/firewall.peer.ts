import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { directoryOfFile } from '#test/world/of-file.ts'
import { documented } from './documented.ts'

const run = promisify(execFile)
const directory = directoryOfFile()

/** Two networks that reach each other: in the second, 10.9.0.2, everything listens; from the first, 10.9.0.1, come the clients. */
const scene = `
exec 3< <(unshare --net sh -c 'echo; exec sleep infinity'); peer=$!
trap 'kill $peer $listener' EXIT
read -r _ <&3
ip link add near type veth peer name far netns $peer
there() { nsenter --target $peer --net -- "$@"; }
ip address add 10.9.0.1/24 dev near && ip link set near up
there ip link set lo up && there ip address add 10.9.0.2/24 dev far && there ip link set far up
there nft -f "$1"
exec 4< <(exec nsenter --target $peer --net -- "$NODE" -e "$LISTEN"); listener=$!
read -r _ <&4
"$NODE" -e "$CONNECT"
`

const listen = `
const net = require('node:net')
const ports = [22, 25, 2525, 465, 8080]
let left = ports.length
const servers = ports.map((port) => net.createServer((socket) => { socket.on('error', () => {}); socket.end(String(port)) })
  .listen(port, '0.0.0.0', () => --left || console.log('listening')))
`
/** What is let in is answered by the kernel at once, before anybody says a word: whatever has no connection once the others have heard one is closed. */
const connect = `
const net = require('node:net')
const ask = (port) => new Promise((resolve) => {
  const socket = net.connect({ host: '10.9.0.2', port })
  asked.push({ port, socket, resolve })
  socket.on('error', () => resolve(port + ' refused')).on('data', (data) => resolve(port + ' by ' + data))
})
const asked = []
const all = [8080, 22, 25, 465].map(ask)
Promise.all(all.slice(1)).then(() => setImmediate(() => setImmediate(() => {
  const [{ port, socket, resolve }] = asked
  if (socket.connecting) resolve(port + ' closed')
})))
Promise.all(all).then(([last, ...others]) => { console.log([...others, last].join(', ')); process.exit() })
`

for (const [what, block, expected] of [
  ['the firewall lets in what the page names', 'policy drop', '22 by 22, 25 by 25, 465 by 465, 8080 closed'],
  ['port 25 is redirected', 'redirect to', '22 by 22, 25 by 2525, 465 by 465, 8080 by 8080'],
] as const) {
  test(`with the rules of the documentation ${what}`, async () => {
    const rules = join(directory, `${block}.nft`)
    await writeFile(rules, `${(await documented('install.md', block)).join('\n')}\n`)
    const env = { PATH: process.env.PATH, NODE: process.execPath, LISTEN: listen, CONNECT: connect }
    const { stdout } = await run('unshare', ['--net', 'bash', '-c', scene, 'bash', rules], { env })
    assert.equal(stdout.trim(), expected)
  })
}
