import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { archive } from '#/base/db/embedded/archive.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { command } from '../command.ts'
import { mebibytes } from '../table.ts'

/** How often progress is reported, in milliseconds. */
const reportEvery = 1_000

export const backupCommand = command({
  name: 'backup',
  summary: 'Write the embedded database, with its mail and secret, to a new tar file while the service runs',
  operands: ['file'],
  options: {},
  run: async ({ database: { copying }, config: { dataDir } }, { file }, onProgress) => {
    if (!copying)
      throw new Refusal('invalid_request', 'The database is on a PostgreSQL server', {
        fix: 'pg_dump makes a backup of it while all processes run',
      })
    const path = resolve(file)
    if ((await sizeOf(path)) !== undefined) throw invalid('file', `${path} already exists`, 'Name a new file')
    const report = async () => onProgress(`Copied ${mebibytes((await sizeOf(`${path}.new`)) ?? 0)}`)
    const timer = setInterval(report, reportEvery)
    try {
      await copying((signal) => archive(resolve(dataDir), path, signal))
    } finally {
      clearInterval(timer)
    }
    const bytes = (await sizeOf(path)) ?? 0
    return { value: { file: path, bytes }, text: `Backed up to ${path}, ${mebibytes(bytes)}.` }
  },
})

/** Undefined if there is no file. */
async function sizeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
}
