import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { certificateFor } from '#test/world/sockets/certificate.ts'
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

let machine: SystemdMachine
before(async () => {
  machine = await SystemdMachine.start({ addresses })
})
after(() => machine[Symbol.asyncDispose]())

const failed = async (error: Error) => assert.fail(`${error.message}\n${await machine.log()}`)
const start = (unit: string) => machine.run('systemctl', 'start', unit).catch(failed)
const stop = (unit: string) => machine.run('systemctl', 'stop', unit)

// Which addresses and roles there are is tested below; here, that the unit lets them.
for (const [what, env, at, expected] of [
  ['without HOST', {}, '127.0.0.1', [http, greeting]],
  ['at all addresses, those of IPv6 too', { HOST: '::' }, '2001:db8::5', [http, greeting]],
  ['as api alone at all addresses of IPv4', { HOST: '0.0.0.0', MAILROOM_ROLES: 'api' }, '192.0.2.5', [http, closed]],
] as const)
  test(`the shipped unit starts ${what}, serves, and stops`, async () => {
    await machine.set('main', { MAILROOM_HOSTNAME: hostname, MAILROOM_SMTP_PORT: '25', ...env })
    await start('mailroom@main')
    assert.deepEqual(await answersAt(machine, at, '8080', '25'), expected)
    const { MainPID, ...state } = await machine.show('main', 'ActiveState', 'NRestarts', 'MainPID')
    assert.deepEqual(state, { ActiveState: 'active', NRestarts: '0' })
    const program = await machine.run('readlink', `/proc/${MainPID}/exe`)
    assert.match(program, /^\/opt\/mailroom\/node_modules\/node-linux-\w+\/bin\/node\n$/)
    await stop('mailroom@main')
    const stopped = await machine.show('main', 'ActiveState', 'Result')
    assert.deepEqual(stopped, { ActiveState: 'inactive', Result: 'success' })
  })

test('the shipped unit is not started for ever with settings that cannot be used', async () => {
  // Without the pauses, which the limit does not need, and which only take time.
  await using hasty = await SystemdMachine.start({ settings: 'RestartSec=0\n' })
  await hasty.set('main', { MAILROOM_HOSTNAME: hostname, PORT: 'http' })
  await assert.rejects(hasty.run('systemctl', 'start', 'mailroom@main'))
  await hasty.givenUp()
  const said = (await hasty.log()).match(/the configuration cannot be used:\n {2}PORT/g) ?? []
  assert.equal(said.length, 10)
  assert.deepEqual(await hasty.show('main', 'ActiveState'), { ActiveState: 'failed' })
})

test('the settings of the documentation serve at each port, and the shipped backup can be restored', async () => {
  const { cert, key } = certificateFor(hostname)
  // The user of the service is not in a group that could read them.
  await machine.write('tls/fullchain.pem', cert, 0o644)
  await machine.write('tls/privkey.pem', key, 0o644)
  await machine.write('main.env', (await documented('install.md', 'MAILROOM_SUBMISSION_TLS_PORT=')).join('\n'))
  await start('mailroom@main')
  assert.deepEqual(await answersAt(machine, '192.0.2.5', '8080', '25', '587'), [http, greeting, greeting])
  await start('mailroom-backup@main')
  await stop('mailroom@main')
  const back = (await documented('backup.md', '/var/lib/mailroom/main/backup.tar')).filter((line) =>
    /^(install|tar) /.test(line),
  )
  const restore = back.join('\n').replace('/backup/backup.tar', '/var/backups/mailroom/main-*.tar')
  await machine.run('sh', '-euc', `rm -r /var/lib/mailroom/main\n${restore}`)
  await start('mailroom@main')
  assert.deepEqual(await answersAt(machine, '192.0.2.5', '8080'), [http])
})
