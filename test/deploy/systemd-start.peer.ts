import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateFor } from '#test/sockets/certificate.ts'
import { documented } from './documented.ts'
import { SystemdMachine } from './systemd-machine.ts'

// Its network is its own, so that the ports are those of the documentation.
const addresses = ['192.0.2.5/32', '2001:db8::5/128']

/** Says whether HTTP and SMTP answer at an address. */
const look = `
const net = require('node:net')
const [host, ...ports] = process.argv.slice(1)
const answers = ports.map((port) => new Promise((resolve) => {
  const socket = net.connect({ host, port }, () => socket.write(port === '8080' ? 'GET /healthz HTTP/1.0\\r\\n\\r\\n' : ''))
  socket.on('error', (error) => resolve(error.code)).once('data', (data) => { socket.destroy(); resolve(String(data).split('\\r\\n')[0]) })
}))
Promise.all(answers).then((all) => console.log(all.join('\\n')))
`

async function answersAt(machine: SystemdMachine, host: string, ...ports: readonly string[]): Promise<string[]> {
  return (await machine.run(process.execPath, '-e', look, host, ...ports)).trim().split('\n')
}

const hostname = 'mail.example.com'
const greeting = `220 ${hostname} ESMTP`
const http = 'HTTP/1.1 200 OK'
const closed = 'ECONNREFUSED'

const both = [http, greeting]

test('the shipped unit starts with each setting of HOST and each role, serves, and stops', async (t) => {
  await using machine = await SystemdMachine.start({ addresses })
  for (const [what, env, at, expected] of [
    ['without HOST', {}, '127.0.0.1', both],
    ['at 127.0.0.1', { HOST: '127.0.0.1' }, '127.0.0.1', both],
    ['at ::1', { HOST: '::1' }, '::1', both],
    ['at all addresses', { HOST: '0.0.0.0' }, '192.0.2.5', both],
    ['at all addresses, those of IPv6 too', { HOST: '::' }, '2001:db8::5', both],
    ['at an address', { HOST: '192.0.2.5' }, '192.0.2.5', both],
    ['at an address of IPv6', { HOST: '2001:db8::5' }, '2001:db8::5', both],
    ['as api at all addresses', { HOST: '0.0.0.0', MAILROOM_ROLES: 'api' }, '192.0.2.5', [http, closed]],
    ['as mx at all addresses', { HOST: '0.0.0.0', MAILROOM_ROLES: 'mx' }, '192.0.2.5', [closed, greeting]],
  ] as const) {
    await t.test(what, async () => {
      await machine.set('main', { MAILROOM_HOSTNAME: hostname, MAILROOM_SMTP_PORT: '25', ...env })
      const failed = async (error: Error) => assert.fail(`${error.message}\n${await machine.log()}`)
      await machine.run('systemctl', 'start', 'mailroom@main').catch(failed)
      assert.deepEqual(await answersAt(machine, at, '8080', '25'), expected)
      const { MainPID, ...state } = await machine.show('main', 'ActiveState', 'NRestarts', 'MainPID')
      assert.deepEqual(state, { ActiveState: 'active', NRestarts: '0' })
      const program = await machine.run('readlink', `/proc/${MainPID}/exe`)
      assert.match(program, /^\/opt\/mailroom\/node_modules\/node-linux-\w+\/bin\/node\n$/)
      await machine.run('systemctl', 'stop', 'mailroom@main')
      const stopped = await machine.show('main', 'ActiveState', 'Result')
      assert.deepEqual(stopped, { ActiveState: 'inactive', Result: 'success' })
    })
  }
})

test('the shipped unit is not started for ever with settings that cannot be used', async () => {
  // Without the pauses, which the limit does not need, and which only take time.
  await using machine = await SystemdMachine.start({ settings: 'RestartSec=0\n' })
  await machine.set('main', { MAILROOM_HOSTNAME: hostname, PORT: 'http' })
  await assert.rejects(machine.run('systemctl', 'start', 'mailroom@main'))
  await machine.givenUp()
  const said = (await machine.log()).match(/the configuration cannot be used:\n {2}PORT/g) ?? []
  assert.equal(said.length, 10)
  assert.deepEqual(await machine.show('main', 'ActiveState'), { ActiveState: 'failed' })
})

test('the settings of the documentation serve at each port, and the shipped backup can be restored', async () => {
  await using machine = await SystemdMachine.start({ addresses })
  const { cert, key } = certificateFor(hostname)
  // The user of the service is not in a group that could read them.
  await machine.write('tls/fullchain.pem', cert, 0o644)
  await machine.write('tls/privkey.pem', key, 0o644)
  await machine.write('main.env', (await documented('install.md', 'MAILROOM_SUBMISSION_TLS_PORT=')).join('\n'))
  const failed = async (error: Error) => assert.fail(`${error.message}\n${await machine.log()}`)
  await machine.run('systemctl', 'start', 'mailroom@main').catch(failed)
  assert.deepEqual(await answersAt(machine, '192.0.2.5', '8080', '25', '587'), [http, greeting, greeting])
  await machine.run('systemctl', 'start', 'mailroom-backup@main').catch(failed)
  await machine.run('systemctl', 'stop', 'mailroom@main')
  const back = (await documented('backup.md', '/var/lib/mailroom/main/backup.tar')).filter((line) =>
    /^(install|tar) /.test(line),
  )
  const restore = back.join('\n').replace('/backup/backup.tar', '/var/backups/mailroom/main-*.tar')
  await machine.run('sh', '-euc', `rm -r /var/lib/mailroom/main\n${restore}`)
  await machine.run('systemctl', 'start', 'mailroom@main').catch(failed)
  assert.deepEqual(await answersAt(machine, '192.0.2.5', '8080'), [http])
})
