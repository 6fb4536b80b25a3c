import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'

const root = join(import.meta.dirname, '../../web/src')

/** The components that a file exports: values whose names begin with a capital letter, and one that has none. */
function componentsOf(path: string, text: string): string[] {
  const values = parseSync(path, text).module.staticExports.flatMap(({ entries }) =>
    entries.filter((one) => !one.isType),
  )
  const names = values.map(({ localName, exportName }) => localName.name ?? exportName.name ?? 'One')
  return [...new Set(names)].filter((name) => /^[A-Z]/.test(name))
}

/** The breach of the law that a file exports one component at most, in a sentence. */
function breach(path: string, text: string): string | undefined {
  const components = componentsOf(path, text)
  return components.length > 1 ? `${path} exports ${components.join(' and ')}` : undefined
}

test('a file of the web app exports one component at most', () => {
  const paths = globSync('**/*.tsx', { cwd: root })
  assert.ok(paths.length > 50, 'the components are found')
  assert.deepEqual(
    paths.flatMap((path) => breach(path, readFileSync(join(root, path), 'utf8')) ?? []),
    [],
  )
})

test('the law finds a second component, whichever way it is exported', () => {
  const text =
    'export function Page() {}\nexport interface Props {}\nconst Card = memo(Page)\nexport { Card as default }'
  assert.equal(breach('parts/page.tsx', text), 'parts/page.tsx exports Page and Card')
})
