import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { example } from '#test/deploy/example.ts'
import { ownSettings, type Setting, type Started } from './setting.ts'

/** Starts Debian 12's, as `deploy/dovecot/2.3` sets it up, with more of a configuration. */
export async function startDovecot23(setting: Setting, more = ''): Promise<Started> {
  const { directory, database } = setting
  const connect = `host=${database.host} port=${database.port} dbname=postgres user=mailroom_dovecot`
  const sql = await example('dovecot/2.3/mailroom-sql.conf.ext', {
    'host=127.0.0.1 dbname=mailroom user=mailroom_dovecot password=change-me': `${connect} password=${database.password}`,
    '/var/vmail/': `${directory}/mail/`,
  })
  await writeFile(join(directory, 'sql.conf.ext'), sql)
  const doveadm = await example('dovecot/2.3/mailroom-doveadm.conf.ext', {
    'change-me': 'of-doveadm',
    '24246': String(setting.doveadmPort),
  })
  await writeFile(join(directory, 'doveadm.conf.ext'), doveadm)
  const settings = await example('dovecot/2.3/dovecot.conf', {
    '/etc/dovecot/private/': `${directory}/`,
    '/etc/dovecot/mailroom-masters': `${directory}/masters`,
    '/etc/dovecot/mailroom-sql.conf.ext': `${directory}/sql.conf.ext`,
    '/etc/dovecot/mailroom-doveadm.conf.ext': `${directory}/doveadm.conf.ext`,
    'uid=vmail gid=vmail': 'uid=nobody gid=nogroup',
    'listen = *, ::': 'listen = 127.0.0.1',
  })
  await writeFile(join(directory, 'dovecot.conf'), settings + ownSettings(setting) + more)
  const child = spawn('/usr/sbin/dovecot', ['-F', '-c', join(directory, 'dovecot.conf')], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { doveadm: `doveadm -c ${directory}/dovecot.conf`, stop }
}
