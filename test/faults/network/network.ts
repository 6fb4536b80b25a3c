import type { Database } from '#/base/db/open.ts'
import type { DatabaseHome } from '#test/world/database/database.ts'
import { FaultProxy } from './proxy.ts'

/** A network that can go wrong between a database on a server and whoever opens it by `url`. */
export async function networkTo(home: DatabaseHome): Promise<{ proxy: FaultProxy; url: string }> {
  const url = new URL(home.env.DATABASE_URL ?? '')
  const proxy = await FaultProxy.start({ host: url.hostname, port: Number(url.port) })
  url.host = `127.0.0.1:${proxy.port}`
  return { proxy, url: url.href }
}

/** Resolves once a service of this process has found that its database is there again: it may yet wait for an answer that is lost. */
export async function isThereAgain(database: Database): Promise<void> {
  await database.leaveIfSilent()
  await database.leaveIfSilent()
}
