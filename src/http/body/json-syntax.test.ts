import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findJsonSyntaxError } from './json-syntax.ts'

for (const [text, line, column, found, wanted] of [
  ['{"name": }', 1, 10, '}', 'a value'],
  ['{"name": "x",}', 1, 14, '}', 'a name in double quotes'],
  ['{\n  "name": "x"\n  "colour": "red"\n}', 3, 3, '"', 'a comma or }'],
  ['{\r\n"a": [1,\r\n]}', 3, 1, ']', 'a value'],
  ["{'name': 1}", 1, 2, "'", 'a name in double quotes or }'],
  ['{"a" 1}', 1, 6, '1', 'a colon'],
  ['[1}', 1, 3, '}', 'a comma or ]'],
  ['["😀", x]', 1, 7, 'x', 'a value'],
  ['{"a": 01}', 1, 8, '1', 'a comma or }'],
  ['{} {}', 1, 4, '{', 'the end'],
  ['{"name": "x"', 1, 13, undefined, 'a comma or }'],
  ['', 1, 1, undefined, 'a value'],
  ['"a\nb"', 1, 3, '\n', 'the end of the string, without line breaks or other control characters'],
  ['"a\\x"', 1, 3, '\\', 'an escape that JSON has'],
] as const)
  test(`${JSON.stringify(text)} stops being JSON at line ${line}, column ${column}`, () =>
    assert.deepEqual(findJsonSyntaxError(text), { line, column, found, wanted }))

/** JSON, and what comes of it when a piece is lost, doubled or put in. */
const nearlyJson = fc
  .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom('', ',', '"', '}', ']', '0', '\\', ' ', '\u0001', 'x'))
  .map(([json, at, lost, put]) => {
    const place = at % (json.length + 1)
    return json.slice(0, place) + put + json.slice(place + lost)
  })

test('it finds a fault where the platform does, and in the same place where that names one', () => {
  const property = fc.property(nearlyJson, (text) => {
    const said = platformSays(text)
    const fault = findJsonSyntaxError(text)
    assert.equal(fault === undefined, said === undefined, `${text}: ${said}`)
    const place = /^(?:Expected|Unexpected token).* \(line (\d+) column (\d+)\)$/.exec(said ?? '')
    if (place && fault) assert.deepEqual([fault.line, fault.column], [Number(place[1]), Number(place[2])], text)
  })
  fc.assert(property, { numRuns: 2_000 })
})

function platformSays(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return String((error as Error).message)
  }
}

test('a string of 12 MiB is read to its end', () =>
  assert.equal(findJsonSyntaxError(`"${'x'.repeat(12 << 20)}`)?.column, (12 << 20) + 2))

test('a body that is nested a million times is read to its end', () =>
  assert.equal(findJsonSyntaxError('['.repeat(1_000_000))?.column, 1_000_001))
