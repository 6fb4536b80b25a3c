import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpQuestion, PublicHttp } from '#/http/public-http/public-http.ts'
import { fetchPicture } from './remote-picture.ts'

test('a picture has one time for all its redirects together', async () => {
  const asked: [URL, HttpQuestion][] = []
  const http = {
    async send(url: URL, question: HttpQuestion) {
      asked.push([url, question])
      const headers = { location: `/${asked.length}`, 'content-type': 'image/png' }
      return { status: asked.length < 4 ? 302 : 200, headers, body: Buffer.from('x'), cut: false }
    },
  } as unknown as PublicHttp
  await fetchPicture(http, 'https://news.example/0', new AbortController().signal)
  assert.equal(asked.map(([{ pathname }]) => pathname).join(), '/0,/1,/2,/3')
  const times = new Set(asked.map(([, { since, timeoutMs }]) => `${since} ${timeoutMs}`))
  assert.equal(times.size, 1)
  assert.ok(asked[0]?.[1].since !== undefined)
})
