import { X509Certificate } from 'node:crypto'
import { readFile, statfs } from 'node:fs/promises'
import type { Config } from '#/app/config/config.ts'
import type { Metrics } from './metrics.ts'

/** Gauges of what can run out: disk space, the certificate's validity. Unreadable ones are left out. */
export function measureMachine(metrics: Metrics, { dataDir, tls }: Config): void {
  metrics.gauge(
    { name: 'mailroom_disk_free_bytes', help: 'Bytes that are free on the file system of the data directory' },
    async () => {
      const { bavail, bsize } = await statfs(dataDir)
      return bavail * bsize
    },
  )
  if (!tls) return
  metrics.gauge(
    {
      name: 'mailroom_certificate_expires_timestamp_seconds',
      help: 'When the certificate in the file of MAILROOM_TLS_CERT expires, as a Unix time',
    },
    async () => new X509Certificate(await readFile(tls.cert)).validToDate.getTime() / 1_000,
  )
}
