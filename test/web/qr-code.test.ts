import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Modules, qrCode } from '../../web/src/pages/profile/qr-code/qr-code.ts'

// On one database: it is about the web app alone.

// These codes were compared with those of another encoder, and read by a decoder.

test('a QR code has the modules that the standard prescribes', () => {
  assert.deepEqual(inLines(qrCode('MAILROOM')), [
    '███████·██··█·███████',
    '█·····█··█··█·█·····█',
    '█·███·█·█·█·█·█·███·█',
    '█·███·█·█··█··█·███·█',
    '█·███·█·███···█·███·█',
    '█·····█·······█·····█',
    '███████·█·█·█·███████',
    '·········██··········',
    '████··█·█·█··█··███·█',
    '··███··████·████··█··',
    '█··████████·████···██',
    '███·█··█·█··██·█·█···',
    '█···█·████·█····█·███',
    '········█·█··█···██·█',
    '███████···█··█████···',
    '█·····█··██████·███··',
    '█·███·█··███··████···',
    '█·███·█·█·█··█··████·',
    '█·███·█·████·█····█··',
    '█·····█·██·██·█·█···█',
    '███████·█████···██···',
  ])
})

for (const [octets, size, digest] of [
  [100, 37, '6e90d41bc3b324eba2d424d7039b7584a4dfd4d3ad60e1e348f1a73ea090a186'],
  [200, 53, '2fab0f8b6839a669aef5cb95f38d8b44e7d8673e508877da303bcc62e76ce0f5'],
  [858, 97, '7cf63b01d65894bcd9276d591a78d0f89dccf159b0fd147d3e256f0f4726dc6d'],
] as const)
  test(`so has one of ${octets} octets, in several blocks`, () => {
    const modules = qrCode('otpauth://'.padEnd(octets, 'x'))
    assert.equal(modules.length, size)
    const bits = modules.flat().map(Number).join('')
    assert.equal(createHash('sha256').update(bits).digest('hex'), digest)
  })

test('a text that is too long has none', () => {
  assert.throws(() => qrCode('é'.repeat(430)), RangeError)
})

function inLines(modules: Modules): string[] {
  return modules.map((row) => row.map((isDark) => (isDark ? '█' : '·')).join(''))
}
