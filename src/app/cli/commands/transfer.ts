import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { exported } from '#/base/db/transfer/export.ts'
import { importInto } from '#/base/db/transfer/import.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { version } from '#/base/version.ts'
import { command, type OnProgress, type Operator, type OwnProcess } from '../command.ts'
import { grouped } from '../table.ts'

/** Means standard output, or input. */
const standard = '-'

const chunkSize = 256 * 1024

export const moveCommands = [
  command({
    name: 'export',
    summary: 'Write the whole installation, with its mail and secrets, to a new file; - is standard output',
    operands: ['file'],
    options: {},
    run: async (operator, { file }, onProgress) => {
      const { output } = ownProcess(operator)
      const { counted, count } = counter('Exported', onProgress)
      const rows = exported(operator.database.pool, {
        ...{ mailroom: version, exportedAt: new Date(operator.clock.now()), count },
      })
      // The weakest compression: a stronger one takes longer than the database.
      const compressed = (to: Writable, options = {}) =>
        pipeline(rows, createGzip({ level: 1, chunkSize }), to, options)
      if (file === standard) {
        await compressed(output, { end: false })
        return { value: undefined, text: '' }
      }
      await intoNewFile(file, compressed)
      return { value: { file, rows: counted() }, text: `Exported ${grouped(counted())} rows to ${file}.` }
    },
  }),
  command({
    name: 'import',
    summary: 'Fill an empty database from a file of export; - is standard input',
    operands: ['file'],
    options: {},
    run: async (operator, { file }, onProgress) => {
      const { input, hasSecret } = ownProcess(operator)
      const { counted, count } = counter('Imported', onProgress)
      const bytes = uncompressed(file === standard ? input : createReadStream(file))
      const { mailroom, exported_at } = await importInto(operator.database, { bytes, hasSecret, count })
      const text = `Imported ${grouped(counted())} rows, which Mailroom ${mailroom} exported at ${exported_at}.`
      return { value: { file, rows: counted(), mailroom, exported_at }, text }
    },
  }),
]

/** A running service has the only connection to the embedded database, and would change it after the export. */
function ownProcess({ own }: Operator): OwnProcess {
  if (own) return own
  throw new Refusal('invalid_request', 'The service is running on this data directory', { fix: 'Stop it first' })
}

function counter(what: string, onProgress: OnProgress) {
  let rows = 0
  const count = (done: number, all: number) => {
    rows = done
    onProgress(`${what} ${grouped(done)} of ${grouped(all)} rows`)
  }
  return { counted: () => rows, count }
}

/** Only the owner can read the file. It is deleted if writing fails. */
async function intoNewFile(path: string, write: (to: Writable) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? invalid('file', `${path} already exists`, 'Name a new file') : error
  })
  try {
    await write(file.createWriteStream({ flush: true }))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** An error of `from` reaches the reader of the result. */
function uncompressed(from: Readable): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize })
  pipeline(from, gunzip).catch(() => {})
  return gunzip
}
