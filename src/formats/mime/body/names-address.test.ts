import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesAddress } from './names-address.ts'

for (const [html, url, expected] of [
  ['<img src="https://a.example/?x=1&amp;y=2">', 'https://a.example/?x=1&y=2', true],
  ['<img src="https://a.example/?x=1&copy=2">', 'https://a.example/?x=1&copy=2', true],
  ['<style>p { background: url(https://a.example/b.png) }</style>', 'https://a.example/b.png', true],
  ['<p style="background: url(&quot;https://a.example/b.png&quot;)">', 'https://a.example/b.png', true],
  ['<img src="//a.example/b.png">', '//a.example/b.png', true],
  ['<img src="https://a.example/b.png">', 'https://a.example/c.png', false],
] as const)
  test(`${html} ${expected ? 'names' : 'does not name'} ${url}`, () => assert.equal(namesAddress(html, url), expected))
