import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { test } from 'node:test'
import { limitConnections } from './connection-limits.ts'

/** How many connections there may be at a time. */
const most = 8_000

class Connection extends EventEmitter {
  destroyed = false

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

/** A server with as many connections as there may be, oldest first. */
function fullServer() {
  const server = new EventEmitter()
  limitConnections(server as Server)
  const open = () => {
    const connection = new Connection()
    server.emit('connection', connection)
    return connection
  }
  /** Begins a request; the answer ends it. */
  const request = (socket: Connection) => {
    const response = new EventEmitter()
    server.emit('request', { socket }, response)
    return { answer: () => response.emit('close') }
  }
  const connections = Array.from({ length: most }, open)
  const destroyed = () => connections.flatMap((one, at) => (one.destroyed ? [at] : []))
  return { open, request, connections, destroyed }
}

test('the connection that has waited longest makes room for a new one, and no other', () => {
  const { open, destroyed } = fullServer()
  assert.deepEqual(destroyed(), [])
  assert.equal(open().destroyed, false)
  assert.deepEqual(destroyed(), [0])
  open()
  assert.deepEqual(destroyed(), [0, 1])
})

test('one whose request is answered keeps its place, and waits anew after the answer', () => {
  const { open, request, connections, destroyed } = fullServer()
  const [busy, answered] = connections.slice(0, 2).map((one) => request(one))
  answered?.answer()
  for (let n = 2; n < most; n++) open()
  assert.equal(destroyed().length, most - 2)
  assert.deepEqual([connections[0]?.destroyed, connections[1]?.destroyed], [false, false])
  open()
  assert.deepEqual([connections[0]?.destroyed, connections[1]?.destroyed], [false, true])
  busy?.answer()
})

test('one that ends makes room itself', () => {
  const { open, request, connections, destroyed } = fullServer()
  connections[5]?.destroy()
  open()
  assert.deepEqual(destroyed(), [5])
  // Its answer may end after it.
  const { answer } = request(connections[6] ?? assert.fail())
  connections[6]?.destroy()
  answer()
  open()
  assert.deepEqual(destroyed(), [5, 6])
  open()
  assert.deepEqual(destroyed(), [0, 5, 6])
})
