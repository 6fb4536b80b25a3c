import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'orval'
import { describedRoutes } from '../server/description.ts'

/** The web app's client: a function for each operation of the OpenAPI document, with its types. */
export async function madeClient(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'client-'))
  try {
    const [target, output] = [join(directory, 'openapi.json'), join(directory, 'generated.ts')]
    const call = { path: join(directory, 'call.ts'), name: 'call' }
    await writeFile(target, JSON.stringify(await describedRoutes()))
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
    return shortened(await readFile(output, 'utf8'))
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
