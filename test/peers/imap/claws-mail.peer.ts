import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { prepareClawsMail } from './claws-mail.ts'
import { people } from './person.ts'

const { newcomer } = people()

/** A display that nobody sees. */
let display: { name: string; end: () => Promise<void> }
before(async () => {
  // It writes the number of a free one.
  const server = spawn('Xvfb', ['-displayfd', '1', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [number] = await once(server.stdout, 'data')
  const end = async () => {
    server.kill()
    await once(server, 'exit')
  }
  display = { name: `:${String(number).trim()}`, end }
})
after(() => display.end())

test('Claws Mail marks, moves and deletes mail as it comes, and leaves labels', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four')
  await ada.change('Two', { add_labels: ['work'] })
  const rules = [
    'subject matchcase "One" mark',
    'subject matchcase "Two" mark_as_read',
    'subject matchcase "Three" move "#imap/ada/Archive"',
    'subject matchcase "Four" delete',
  ]
  await prepareClawsMail(ada, rules)
  const env = { ...ada.env, DISPLAY: display.name, GDK_BACKEND: 'x11' }
  const program = spawn('claws-mail', ['--online', '--receive-all'], { env, cwd: ada.home, stdio: 'ignore' })
  const ended = once(program, 'exit')
  try {
    await ada.happens('One', 'Two', 'Three', 'Four')
  } finally {
    program.kill('SIGKILL')
    await ended
  }
  assert.deepEqual(await ada.has(), { One: 'starred', Two: 'read work' })
  assert.deepEqual(await ada.has('archive'), { Three: '' })
})
