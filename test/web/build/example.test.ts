import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { directoryOfFile } from '#test/world/of-file.ts'

// On one database: it is about the documentation.

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
const copy = directoryOfFile()

test('the example of docs/web-app.md is a page of the web app, once it is added as that says', async () => {
  const parts = ['src', 'index.html', 'package.json', 'tsconfig.json', 'vite.config.ts']
  for (const part of parts) await cp(join(root, 'web', part), join(copy, 'web', part), { recursive: true })
  for (const part of ['bin', 'node_modules', 'package.json', 'src']) await symlink(join(root, part), join(copy, part))

  const blocks = [...(await readFile(join(root, 'docs/web-app.md'), 'utf8')).matchAll(/^```(tsx|diff)\n(.*?)^```/gms)]
  assert.deepEqual(
    blocks.map(([, language]) => language),
    ['tsx', 'diff', 'diff'],
  )
  for (const [, language, text = ''] of blocks) {
    if (language === 'tsx') await create(copy, text)
    else await change(copy, text)
  }

  const ofNode = (name: string, ...args: string[]) =>
    run(process.execPath, [join(root, 'node_modules', name), ...args], { cwd: join(copy, 'web') }).catch((error) =>
      assert.fail(`${name}: ${error.stdout}${error.stderr}`),
    )
  await ofNode('typescript/bin/tsc', '-p', '.')
  await ofNode('vite/bin/vite.js', 'build', '--logLevel', 'warn')
  const assets = join(copy, 'web/dist/assets')
  const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'))
  const built = await Promise.all(scripts.map((name) => readFile(join(assets, name), 'utf8')))
  assert.ok(built.some((script) => script.includes('Who has joined, the last first.')))
})

/** A block whose first line is a comment with its path is a new file. */
async function create(copy: string, text: string): Promise<void> {
  const [, path] = /^\/\/ (\S+)\n/.exec(text) ?? []
  assert.ok(path, text)
  const file = join(copy, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { flag: 'wx' })
}

/** Each line of a file that the block has stands there once; added lines come behind the one before them. */
async function change(copy: string, text: string): Promise<void> {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const file = join(copy, head.replace('--- ', ''))
  const content = (await readFile(file, 'utf8')).split('\n')
  let at = 0
  for (const line of lines) {
    const wanted = line.slice(1)
    if (line.startsWith('+')) content.splice(++at, 0, wanted)
    else {
      assert.deepEqual(
        content.filter((one) => one === wanted),
        [wanted],
        `${head} has this line`,
      )
      at = content.indexOf(wanted)
    }
  }
  await writeFile(file, content.join('\n'))
}
