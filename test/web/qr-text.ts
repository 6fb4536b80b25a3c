import type { Locator } from 'playwright-core'
import decodeQR from 'qr/decode.js'

/** Pixels of a module, as a camera sees some. */
const scale = 4

/** The text of a QR code that is shown as a picture of squares. */
export async function qrText(picture: Locator): Promise<string> {
  const side = Number((await picture.getAttribute('viewBox'))?.split(' ').at(-1)) * scale
  const path = (await picture.locator('path').getAttribute('d')) ?? ''
  const data = new Uint8Array(side * side * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < scale; row++) {
      const from = ((Number(y) * scale + row) * side + Number(x) * scale) * 4
      data.fill(0, from, from + scale * 4)
    }
  return decodeQR({ width: side, height: side, data }, { format: 'RGBA' })
}
