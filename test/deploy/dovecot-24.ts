import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accountsOn } from '#test/peers/dovecot/accounts/accounts.ts'
import { ownSettings } from '#test/peers/dovecot/accounts/setting.ts'
import type { Containers } from './containers.ts'
import { example } from './example.ts'

/** The accounts on Dovecot 2.4, in a container, on this machine's network. */
export function dovecot24Tests(open: () => Containers): void {
  accountsOn(async (setting) => {
    const { directory, database } = setting
    const podman = (...args: string[]) => open().podman(...args)
    const sql = await example('dovecot/2.4/mailroom-sql.conf.ext', {
      'pgsql 127.0.0.1': `pgsql ${database.host}`,
      'dbname = mailroom': `port = ${database.port}\n    dbname = postgres`,
      'change-me': database.password,
    })
    await writeFile(join(directory, 'sql.conf.ext'), sql)
    const doveadm = await example('dovecot/2.4/mailroom-doveadm.conf.ext', {
      'change-me': 'of-doveadm',
      '24246': String(setting.doveadmPort),
    })
    await writeFile(join(directory, 'doveadm.conf.ext'), doveadm)
    const settings = await example('dovecot/2.4/dovecot.conf', {
      '/etc/dovecot/private/': `${directory}/`,
      '/etc/dovecot/mailroom-masters': `${directory}/masters`,
      '/etc/dovecot/mailroom-sql.conf.ext': `${directory}/sql.conf.ext`,
      '/etc/dovecot/mailroom-doveadm.conf.ext': `${directory}/doveadm.conf.ext`,
      '/var/vmail/': `${directory}/mail/`,
      'mail_uid = vmail\nmail_gid = vmail': 'mail_uid = nobody\nmail_gid = nogroup',
      'listen = *, ::': 'listen = 127.0.0.1',
    })
    await writeFile(join(directory, 'dovecot.conf'), `${settings}${ownSettings(setting)}`)
    const volume = `--volume=${directory}:${directory}`
    const command = ['dovecot', '-F', '-c', join(directory, 'dovecot.conf')]
    await podman('run', '--detach', '--name=dovecot', '--network=host', volume, 'mailroom-dovecot', ...command)
    const stop = async () => {
      await podman('stop', 'dovecot')
      await podman('rm', 'dovecot')
    }
    const here = `CONTAINERS_CONF=${open().env.CONTAINERS_CONF} podman ${open().own.join(' ')} exec dovecot`
    return { doveadm: `${here} doveadm -c ${directory}/dovecot.conf`, stop }
  })
}
