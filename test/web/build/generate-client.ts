// Writes the web app's client of the API, by default into web/src/api.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'orval'
import { World } from '#test/world/world.ts'
import { stamped } from './client-stamp.ts'

/** The web app's client: a function for each operation of the OpenAPI document, with its types. */
async function generatedClient(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'client-'))
  try {
    await using world = await World.start()
    const target = join(directory, 'openapi.json')
    const document = await world.client.document()
    await writeFile(target, document)
    const output = join(directory, 'generated.ts')
    const call = { path: join(directory, 'call.ts'), name: 'call' }
    await writeFile(
      call.path,
      'export const call = async <T>(_url: string, _init?: RequestInit): Promise<T> => undefined as T\n',
    )
    await generate({
      input: { target },
      output: {
        ...{ mode: 'single', client: 'fetch', target: output, urlEncodeParameters: true },
        override: { enumGenerationType: 'union', mutator: call, fetch: { includeHttpResponseReturnType: false } },
      },
    })
    return stamped(shortened(await readFile(output, 'utf8')), document)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** With functions for what the generator repeats in each operation: the first page loads all operations. */
function shortened(client: string): string {
  const short = client
    .replaceAll(
      /^ *const normalizedParams = [\s\S]*?;\n\n *return stringifiedParams.*: (`.*`)$/gm,
      '  return withQuery($1, params)',
    )
    .replaceAll(/^ *const getHeaders = [\s\S]*?\n {2}\};\n/gm, '')
    .replaceAll("{ 'Content-Type': 'application/json', ...getHeaders(options?.headers) }", 'withType(options?.headers)')
    .replace(/^import .*$/m, "$&\nimport { withQuery, withType } from './request-parts.ts';")
  const left = /getHeaders|normalizedParams|stringifiedParams/.exec(short)
  if (left) throw new Error(`The generator has other text around ${left[0]} than before`)
  return short
}

const [file = join(import.meta.dirname, '../../../web/src/api/generated.ts')] = process.argv.slice(2)
await writeFile(file, await generatedClient())
