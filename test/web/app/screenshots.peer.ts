import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { takeScreenshots } from './screenshots.ts'

const root = join(import.meta.dirname, '../../..')

test('the pictures of README.md and docs/ are those of a newcomer, and none is larger than 150 KB', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pictures-'))
  after(() => rm(directory, { recursive: true }))
  await takeScreenshots(directory)
  const images = await readdir(join(root, 'docs/images'))
  assert.deepEqual((await readdir(directory)).sort(), images.sort())
  const pages = await Promise.all(['README.md', 'docs/web-app.md'].map((page) => readFile(join(root, page), 'utf8')))
  for (const image of images) {
    assert.ok((await stat(join(root, 'docs/images', image))).size <= 150_000, image)
    assert.ok(
      pages.some((page) => page.includes(`images/${image})`)),
      image,
    )
  }
})
