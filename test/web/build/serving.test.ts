import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { foundBuild } from '#/app/web/build.ts'
import { exchange } from '#test/world/sockets/raw-http.ts'
import { World } from '#test/world/world.ts'

// On one database: none is asked.

const built = await foundBuild()
assert.ok(built)
const world = await World.ofFile({ web: built })

const page = (base = world.base) => fetch(base, { headers: { accept: 'text/html' } })

/** The scripts and styles that the page names. */
async function files(base = world.base): Promise<string[]> {
  const found = (await (await page(base)).text()).matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)
  return Array.from(found, ([, path = '']) => path)
}

/** A raw response: fetch would decompress it. */
async function octets(path: string, accepted: string) {
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${accepted}\r\n\r\n`
  const answer = await exchange(world.base, head)
  assert.ok(answer, path)
  return { headers: answer.headers, body: Buffer.from(answer.body, 'latin1') }
}

test('the files that the page names are kept for a year, since a change gives them another name', async () => {
  const paths = await files()
  assert.ok(paths.some((path) => path.endsWith('.js')) && paths.some((path) => path.endsWith('.css')))
  for (const path of paths) {
    assert.match(path, /-[\w-]{8}\.\w+$/)
    const { status, headers } = await fetch(world.base + path)
    assert.equal(status, 200, path)
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable', path)
  }
})

test('they are compressed for clients that accept it', async () => {
  for (const path of await files()) {
    const plain = await octets(path, 'identity')
    assert.equal(plain.headers.get('content-encoding'), undefined, path)
    for (const [accepted, encoding, decompress] of [
      ['br', 'br', brotliDecompressSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await octets(path, accepted)
      assert.equal(headers.get('content-encoding'), encoding, `${path}, ${accepted}`)
      assert.match(headers.get('vary') ?? '', /accept-encoding/i, path)
      assert.equal(headers.get('content-type'), plain.headers.get('content-type'), path)
      assert.ok(decompress(body).equals(plain.body), path)
    }
  }
})

test('a service answers the files that its page names after another build has replaced them', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'build-'))
  await cp(built, directory, { recursive: true })
  await using other = await World.start({ web: directory })
  await rm(directory, { recursive: true })
  const paths = await files(other.base)
  assert.ok(paths.length > 0)
  for (const path of paths) {
    const [there, here] = await Promise.all([fetch(other.base + path), fetch(world.base + path)])
    assert.equal(there.status, 200, path)
    assert.equal(await there.text(), await here.text(), path)
  }
})

test('the page is asked for each time, and lets no script but files of the service run', async () => {
  const [first, second] = [await page(), await page()]
  assert.equal(first.headers.get('cache-control'), 'no-cache')
  const policies = [first, second].map(({ headers }) => headers.get('content-security-policy') ?? '')
  const directives = new Map(
    policies[0]?.split('; ').map((one) => [one.slice(0, one.indexOf(' ')), one.slice(one.indexOf(' ') + 1)]),
  )
  assert.equal(directives.get('default-src'), "'none'")
  assert.equal(directives.get('script-src'), "'self'")
  assert.equal(directives.get('connect-src'), "'self'")
  assert.equal(directives.get('frame-ancestors'), "'none'")
  const [nonce, other] = policies.map((policy) => /^.*style-src 'self' 'nonce-([\w+/=]{24})'$/.exec(policy)?.[1])
  assert.ok(nonce !== undefined && other !== undefined && nonce !== other)
  const text = await first.text()
  assert.ok(text.includes(nonce))
  assert.doesNotMatch(text, /<script(?![^>]* src="\/assets\/)|<style|\son\w+=/)
})

test('a path that is no page of the API is the page to a browser, and nothing to a program', async () => {
  for (const [path, accept, status] of [
    ['/labels', 'text/html', 200],
    ['/no/such/page', 'text/html,*/*', 200],
    ['/labels', 'application/json', 404],
    ['/assets/none.js', 'text/html', 404],
    ['/v1/none', 'text/html', 401],
  ] as const) {
    const answer = await fetch(world.base + path, { headers: { accept } })
    await answer.arrayBuffer()
    assert.equal(answer.status, status, path)
    assert.equal(answer.headers.get('content-security-policy') !== null, status === 200, path)
  }
})
