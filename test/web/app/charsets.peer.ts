import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeStandard } from '#/formats/mime/charset/tables.ts'
import { charsets, sequencesOf } from '#test/formats/charsets/charsets.ts'
import { openBrowser } from '../browser.ts'

const browser = await openBrowser()
const page = await browser.newPage()
after(() => browser.close())

/** Characters of two code points (Encoding Standard, section 12.1.1), of which Chromium 156 writes others. */
const ours: Readonly<Record<string, readonly string[]>> = { big5: ['8862', '8864', '88a3', '88a5'] }

for (const [name, labels] of Object.entries(charsets))
  test(`Chromium reads each character of ${name} as we do, and knows its labels`, async () => {
    const all = sequencesOf(name)
    const theirs = await page.evaluate(
      ([charset, sequences]) =>
        sequences.map((octets) => new TextDecoder(charset, { ignoreBOM: true }).decode(Uint8Array.from(octets))),
      [name, all] as const,
    )
    const different = all
      .map((octets) => Buffer.from(octets))
      .filter((octets, place) => decodeStandard(octets, name) !== theirs[place])
      .map((octets) => octets.toString('hex'))
    assert.deepEqual(different, ours[name] ?? [])
    const written = [name, ...labels.split(' ')].filter((label) => label !== '')
    const names = await page.evaluate((given) => given.map((label) => new TextDecoder(label).encoding), written)
    assert.deepEqual(new Set(names), new Set([name]))
  })
