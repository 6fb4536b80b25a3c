import assert from 'node:assert/strict'
import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { giveBack, isWhole, keepReserve, reserveBytes, reserveName } from './reserve.ts'

const mebibyte = 2 ** 20
const directory = directoryOfFile()
const file = join(directory, reserveName)

for (const [what, had, wanted, isTable, given, left] of [
  ['a table takes a step of a whole reserve', 64, 8192, true, true, 63],
  ['a table takes as much as it needs', 64, 3 * mebibyte, true, true, 61],
  ['a table takes nothing of what the log may need', 40, 8192, true, false, 40],
  ['the log takes of that too', 40, 16 * mebibyte, false, true, 24],
  ['the log takes the last of it', 1, 16 * mebibyte, false, true, 0],
  ['nothing can be taken of an empty reserve', 0, 8192, false, false, 0],
] as const)
  test(what, () => {
    writeFileSync(file, '')
    truncateSync(file, had * mebibyte)
    assert.equal(giveBack(directory, wanted, isTable), given)
    assert.equal(statSync(file).size, left * mebibyte)
  })

test('without a reserve nothing is given back, and the disk does not count as full', async () => {
  await rm(file, { force: true })
  assert.deepEqual([giveBack(directory, 1, false), await isWhole(directory)], [false, undefined])
})

test('a reserve is made whole again, of octets that are on the disk', async () => {
  writeFileSync(file, 'what is left')
  assert.equal(await isWhole(directory), false)
  await keepReserve(directory)
  assert.equal(await isWhole(directory), true)
  const { size, blocks } = statSync(file)
  assert.equal(size, reserveBytes)
  assert.ok(blocks * 512 >= reserveBytes)
})
