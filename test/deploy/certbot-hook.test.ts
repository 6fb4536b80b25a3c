import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { documented } from './documented.ts'

const run = promisify(execFile)

test("certbot's hook of the documentation installs the certificate of the mail server, and no other that is renewed", async () => {
  await using resources = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-certbot-'))
  resources.defer(() => rm(directory, { recursive: true }))
  const live = join(directory, 'live')
  for (const name of ['mail.example.com', 'www.example.com']) {
    await mkdir(join(live, name), { recursive: true })
    for (const file of ['fullchain.pem', 'privkey.pem']) await writeFile(join(live, name, file), `${file} of ${name}`)
  }
  const hook = (await documented('install.md', 'RENEWED_LINEAGE'))
    .join('\n')
    .replaceAll('/etc/letsencrypt/live', live)
    .replaceAll('/etc/mailroom', directory)
    // Whoever runs the test may not be root, and has no user mailroom.
    .replace('--group mailroom ', '')
  const renewed = (name: string) =>
    run('sh', ['-c', hook], { env: { PATH: process.env.PATH, RENEWED_LINEAGE: join(live, name) } })
  await renewed('www.example.com')
  assert.deepEqual(await readdir(directory), ['live'])
  await renewed('mail.example.com')
  await renewed('www.example.com')
  const tls = join(directory, 'tls')
  for (const file of ['fullchain.pem', 'privkey.pem']) {
    assert.equal(await readFile(join(tls, file), 'utf8'), `${file} of mail.example.com`)
    assert.equal((await stat(join(tls, file))).mode & 0o777, 0o640)
  }
})
