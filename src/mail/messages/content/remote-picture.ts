import { HttpFailed } from '#/http/public-http/failure.ts'
import type { HttpAnswer, PublicHttp } from '#/http/public-http/public-http.ts'

export interface Picture {
  readonly contentType: string
  readonly bytes: Buffer
}

/** Octets of a picture. */
const mostBytes = 5_000_000
const mostRedirects = 4
/** Milliseconds for the picture, with all redirects. */
const timeoutMs = 10_000

/** Types of pictures that a browser shows without running anything. */
const kinds = ['image/avif', 'image/webp', 'image/png', 'image/jpeg', 'image/gif', 'image/bmp']

/** The request identifies neither the message nor the reader. No content coding: a small response could become large. */
const headers = { Accept: kinds.join(', '), 'Accept-Encoding': 'identity', 'User-Agent': 'Mailroom' }

/** Fetches a picture from another server. @throws HttpFailed */
export async function fetchPicture(http: PublicHttp, address: string, signal: AbortSignal): Promise<Picture> {
  const since = performance.now()
  let url = addressIn(address, 'https://nowhere.invalid/')
  for (let redirects = 0; ; redirects++) {
    const answer = await http.send(url, { method: 'GET', headers, mostBytes, timeoutMs, since, signal })
    const { location } = answer.headers
    if (answer.status < 300 || answer.status > 399 || location === undefined) return pictureOf(answer)
    if (redirects === mostRedirects) throw new HttpFailed('The server redirects too often')
    url = addressIn(location, url.href)
  }
}

function addressIn(address: string, base: string): URL {
  const url = URL.parse(address, base)
  if (!url) throw new HttpFailed('The address is malformed')
  return url
}

function pictureOf({ status, headers, body, cut }: HttpAnswer): Picture {
  if (status !== 200) throw new HttpFailed(`The server answered ${status}`)
  const contentType = (headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase()
  if (!kinds.includes(contentType)) throw new HttpFailed('It is not a picture of a type that is shown')
  const coding = headers['content-encoding']
  if (coding !== undefined && coding !== 'identity')
    throw new HttpFailed('It has a content encoding, which Mailroom did not accept')
  if (cut) throw new HttpFailed('It is too large')
  return { contentType, bytes: body }
}
