import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { example } from '#test/deploy/example.ts'

/** Puts the maps of deploy/postfix into a directory, for a PostgreSQL server of the test's own. */
export async function writeMaps(directory: string, url: string, password: string): Promise<void> {
  const { hostname, port } = new URL(url)
  for (const name of ['domains', 'recipients']) {
    const map = await example(`postfix/mailroom-${name}.cf`, {
      'hosts = 127.0.0.1': `hosts = inet:${hostname}:${port}`,
      'dbname = mailroom': 'dbname = postgres',
      'change-me': password,
    })
    await writeFile(join(directory, `mailroom-${name}.cf`), map)
  }
}
