import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import type { Containers } from './containers.ts'

export const passwords = {
  DATABASE_PASSWORD: 'of-the-database',
  POSTFIX_DATABASE_PASSWORD: 'of "the" \\role',
}
/** Of the inner network. */
export const inner = '10.215.25'

/** The operator's settings, with free ports in place of fixed ones. */
export async function writeInputs(base: string): Promise<void> {
  const hostname = 'mx.example.com'
  const { cert, key } = certificateFor(hostname)
  const values = {
    ...passwords,
    MAILROOM_SECRET: '0123456789abcdef0123456789abcdef',
    MAILROOM_HOSTNAME: hostname,
    CERTIFICATES: base,
    INSIDE: inner,
  }
  const files = {
    env: Object.entries(values).map(([name, value]) => `${name}='${value}'\n`),
    'fullchain.pem': [cert],
    'privkey.pem': [key],
    'over.yaml': ['services:\n', ...['api', 'programs', 'postfix'].map((name) => `  ${name}: {ports: !reset []}\n`)],
  }
  for (const [name, lines] of Object.entries(files)) await writeFile(join(base, name), lines.join(''))
}

/** Docker's own Compose, in an image: this machine may have none, or an old one. */
export async function buildCompose(containers: Containers): Promise<void> {
  await buildFrom(containers, 'compose', installing('docker-compose'))
}

/** PostgreSQL in the place of the image that everyone takes, set up by the same variables. Its socket lies in /tmp, since Podman
 *  gives a tmpfs below its own /run to root. */
export async function buildPostgres(containers: Containers): Promise<void> {
  const start = `#!/bin/sh
set -eu
local='-c listen_addresses= -c unix_socket_directories=/tmp'
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" >/tmp/password
  initdb --no-sync --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -w -o "$local" start
  createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -w stop
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp
`
  const dockerfile = `${installing('postgresql-17')} \\
      && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data
    ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data
    COPY start /usr/local/bin/start
    CMD ["start"]
    `
  await buildFrom(containers, 'docker.io/library/postgres:17', dockerfile, { start })
}

const installing = (name: string) => `FROM debian:trixie-slim
    RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends ${name}`

async function buildFrom(
  containers: Containers,
  tag: string,
  dockerfile: string,
  programs: Readonly<Record<string, string>> = {},
): Promise<void> {
  const context = await mkdtemp(join(containers.directory, 'context-'))
  await writeFile(join(context, 'Dockerfile'), dockerfile)
  for (const [name, text] of Object.entries(programs)) await writeFile(join(context, name), text, { mode: 0o755 })
  await containers.build(tag, context)
}
