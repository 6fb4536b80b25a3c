import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { HttpClient } from '#test/world/sockets/http-client.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import type { Containers } from './containers.ts'

/** Tests of the image alone: a container with the embedded database, in which only its volume and /tmp
 *  are writable. */
export function imageTests(open: () => Containers): void {
  const podman = (...args: string[]) => open().podman(...args)

  before(async () => {
    const closed = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--security-opt=no-new-privileges']
    const room = ['--tmpfs=/tmp', '--volume=data:/var/lib/mailroom']
    await podman('run', '--detach', '--name=alone', ...closed, ...room, 'mailroom')
  })
  after(() => podman('rm', '--force', '--time=0', 'alone'))

  async function address(): Promise<string> {
    return podman('inspect', 'alone', '--format={{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}')
  }

  test('it becomes healthy, as a user without any privileges, with nothing to write to but its volume', async () => {
    await open().healthy('alone')
    assert.match(await podman('exec', 'alone', 'cat', '/proc/1/status'), /^Uid:\t10001\t.*\n(?:.*\n)*CapBnd:\t0+$/m)
    for (const directory of ['/', '/opt/mailroom', '/usr/local/bin', '/var'])
      await assert.rejects(podman('exec', '--user=0', 'alone', 'touch', `${directory}/x`), /Read-only file system/)
  })

  test('it answers over HTTP and greets over SMTP', async () => {
    const client = new HttpClient(`http://${await address()}:8080`)
    assert.equal((await client.request('GET', '/readyz')).status, 200)
    await using peer = await SmtpClient.open(2525, { host: await address() })
    assert.equal((await peer.reply()).code, 220)
  })

  test('it has the web app, which / leads to', async () => {
    const client = new HttpClient(`http://${await address()}:8080`)
    const { status, bytes } = await client.request('GET', '/', { headers: { accept: 'text/html' } })
    const [, script = ''] = /<script [^>]*src="(\/assets\/[^"]+)"/.exec(bytes.toString()) ?? []
    assert.deepEqual([status, (await client.request('GET', script)).status], [200, 200], bytes.toString())
  })

  test('it has the commands of an operator, and none of what only its makers need', async () => {
    assert.match(await podman('exec', 'alone', 'mailroom', 'org', 'create', 'Acme'), /^Created the organization "Acme"/)
    await assert.rejects(podman('exec', 'alone', 'npm', '--version'), /not found|no such file/i)
    await assert.rejects(podman('exec', 'alone', 'ls', 'node_modules/typescript'), /No such file/)
  })

  test('SIGTERM stops it with 0, and it has its data when it is started again', async () => {
    await podman('stop', '--time=60', 'alone')
    assert.equal(await podman('inspect', 'alone', '--format={{.State.ExitCode}}'), '0')
    await podman('start', 'alone')
    await open().healthy('alone')
    assert.match(await podman('exec', 'alone', 'mailroom', 'org', 'list'), /^Acme /m)
  })
}
