import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }

/** The client with a first line that is of it alone, and of what makes it and from what: to make it again, to compare, takes ten seconds of CPU. */
export function stamped(client: string, document: string): string {
  const generator = readFileSync(join(import.meta.dirname, 'generate-client.ts'), 'utf8')
  // Where the document's service is says nothing.
  const described = document.replace(/"servers":\[.*?\]/, '')
  const made = JSON.stringify([manifest.devDependencies.orval, generator, described, client])
  return `// By npm run web-client, ${createHash('sha256').update(made).digest('hex')}\n${client}`
}
