// Runs the commands of docs/backup.md literally.
import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { startPostgres } from '#test/peers/postgres.ts'
import { databaseHome, homeAt } from '#test/world/database/database.ts'
import { hand, letter, subjectsAt } from '#test/world/letters/letter.ts'
import { onceThere } from '#test/world/observe/once-there.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { documented, follow, thereAndBack } from './documented.ts'

const page = 'backup.md'

const scratch = directoryOfFile()
await chmod(scratch, 0o777)

async function mail(service: Service, { addresses }: StoredOrganization, Subject: string): Promise<void> {
  assert.equal(await hand(service, 'ann@peer.example', addresses, letter({ Subject })), '250 2.6.0')
}

const owner = { '--owner mailroom --group mailroom': '--owner root --group root' }
const wish = { domain: 'kept.test', mailboxes: ['ada'] }

test('a data directory that was archived is there again when it is unpacked', async () => {
  await using home = await databaseHome({ embedded: true })
  const directory = home.env.MAILROOM_DATA_DIR ?? ''
  const organization = await storeOrganization(home, wish)
  let service: Service | undefined
  const systemctl = async (verb: string) => {
    if (verb === 'start') service = await startService(home.env)
    else await service?.end('SIGTERM')
  }
  const running = () => service ?? assert.fail('nothing was started')
  const [out, back] = thereAndBack(await documented(page, 'tar --create'))
  const us = { cwd: scratch, instead: { ...owner, '/var/lib/mailroom/main': directory }, systemctl }
  await systemctl('start')
  await mail(running(), organization, 'Before')
  await follow(out, us)
  await mail(running(), organization, 'After')
  await systemctl('stop')
  await rm(directory, { recursive: true })
  await follow(back, us)
  assert.deepEqual(await subjectsAt(running(), organization), ['Before'])
  await systemctl('stop')
})

test('a backup that was made while the service runs is there again when it is unpacked', async () => {
  await using home = await databaseHome({ embedded: true })
  const directory = home.env.MAILROOM_DATA_DIR ?? ''
  const organization = await storeOrganization(home, wish)
  let service = await startService(home.env)
  const systemctl = async () => {
    service = await startService(home.env)
  }
  const [out, back] = thereAndBack(await documented(page, 'mailroom backup'))
  const instead = {
    ...{ ...owner, '/var/lib/mailroom/main': directory, '/backup/': `${scratch}/` },
    'mailroom backup': `${process.execPath} ${join(import.meta.dirname, '../../bin/mailroom.js')} backup`,
  }
  const us = { cwd: scratch, instead, env: home.env, systemctl }
  await mail(service, organization, 'Before')
  await follow(out, us)
  await mail(service, organization, 'After')
  await service.end('SIGTERM')
  await rm(directory, { recursive: true })
  await follow(back, us)
  assert.deepEqual(await subjectsAt(service, organization), ['Before'])
  await service.end('SIGTERM')
})

test('a dump of a server, made while a service runs, is restored into another database of an ordinary role', async () => {
  await using postgres = await startPostgres()
  const made = ['first', 'second'].map((name) => `create database ${name} owner mailroom`)
  await statements(postgres.url, ['create role mailroom login', ...made])
  const urlOf = (name: string) => postgres.url.replace(/postgres@(.*)\/postgres$/, `mailroom@$1/${name}`)
  await using home = await homeAt(urlOf('first'))
  const organization = await storeOrganization(home, wish)
  const first = await startService(home.env)
  await mail(first, organization, 'Before')
  const [out, back] = thereAndBack(await documented(page, '--file=mailroom.dump'))
  await follow(out, { cwd: scratch, instead: {}, env: { DATABASE_URL: urlOf('first') } })
  const nightly = join(scratch, 'nightly')
  await mkdir(nightly)
  await writeFile(join(nightly, 'old.dump'), '')
  await utimes(join(nightly, 'old.dump'), 0, 0)
  const { hostname: PGHOST, port: PGPORT, username: PGUSER } = new URL(postgres.url)
  const instead = { '/var/backups/mailroom-database': nightly, 'part mailroom': 'part first', '\\%': '%' }
  const nightlyCommands = (await documented(page, '--file=part')).map((line) => line.replace('0 3 * * * postgres ', ''))
  await follow(nightlyCommands, { cwd: scratch, instead, env: { PGHOST, PGPORT, PGUSER } })
  assert.match((await readdir(nightly)).join(), /^\d{4}-\d\d-\d\d\.dump$/)
  await mail(first, organization, 'After')
  await first.end('SIGTERM')
  await follow(back, { cwd: scratch, instead: {}, env: { DATABASE_URL: urlOf('second') } })
  const second = await startService({ ...home.env, DATABASE_URL: urlOf('second') })
  assert.deepEqual(await subjectsAt(second, organization), ['Before'])
  await second.end('SIGTERM')
})

test('a base backup and the log that follows lead back to a moment in between', async () => {
  const backup = join(scratch, 'backup')
  await mkdir(backup)
  await chmod(backup, 0o777)
  const settings = (await documented(page, 'archive_command')).map((line) => /^(\w+) = '?(.*?)'?$/.exec(line) ?? [])
  const elsewhere = { '/backup': backup }
  await using postgres = await startPostgres(
    Object.fromEntries(settings.map(([, name = '', value = '']) => [name, value.replaceAll('/backup', backup)])),
  )
  await using home = await homeAt(postgres.url)
  const organization = await storeOrganization(home, wish)
  const first = await startService(home.env)
  const [out, back] = thereAndBack(await documented(page, 'pg_basebackup'))
  const { hostname, port } = new URL(postgres.url)
  const postgresItself = { cwd: scratch, user: 'postgres', env: { PGHOST: hostname, PGPORT: port } }
  await follow(out, { ...postgresItself, instead: elsewhere })
  await mail(first, organization, 'Before')
  const moment = await statements(postgres.url, ['select clock_timestamp()::text as value'])
  await mail(first, organization, 'After')
  await first.end('SIGTERM')
  const last = await statements(postgres.url, ['select pg_walfile_name(pg_switch_wal()) as value'])
  const data = await statements(postgres.url, ["select current_setting('data_directory') as value"])
  // The server renames the note `ready` once the command has ended well.
  const notes = join(data, 'pg_wal/archive_status')
  await onceThere(notes, async () => (await readdir(notes)).includes(`${last}.done`))

  const main = join(scratch, 'main')
  await follow(['mkdir main'], { ...postgresItself, instead: {} })
  const own = await freePort()
  const options = `-p ${own} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${scratch}`
  const pgCtl = (verb: string) =>
    follow([`$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)/pg_ctl -w -D ${main} ${verb} >/dev/null`], {
      ...postgresItself,
      instead: {},
    })
  const systemctl = (verb: string) =>
    verb === 'start' ? pgCtl(`-l ${scratch}/log -o '${options}' start`) : Promise.resolve()
  const instead = { ...elsewhere, '/var/lib/postgresql/15/main': main, '2026-11-22 01:00:00+00': moment }
  await follow(back, { ...postgresItself, instead, systemctl })
  try {
    const url = `postgres://postgres@127.0.0.1:${own}/postgres`
    // It takes connections that read before, and all others once it has come to its target.
    const isThere = async () => / is ready to accept connections$/m.test(await readFile(join(scratch, 'log'), 'utf8'))
    await onceThere(scratch, isThere)
    const second = await startService({ ...home.env, DATABASE_URL: url })
    assert.deepEqual(await subjectsAt(second, organization), ['Before'])
    await mail(second, organization, 'Since')
    assert.deepEqual(await subjectsAt(second, organization), ['Since', 'Before'])
    await second.end('SIGTERM')
  } finally {
    await pgCtl('-m immediate stop')
  }
})

/** The value that the last one gives, if any. */
async function statements(url: string, all: readonly string[]): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    let value = ''
    for (const text of all) value = (await client.query<{ value: string }>(text)).rows[0]?.value ?? ''
    return value
  } finally {
    await client.end()
  }
}
