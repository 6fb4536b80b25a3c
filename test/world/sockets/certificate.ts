import { generateKeyPairSync, sign } from 'node:crypto'

/** A self-signed certificate for mx.example and its key, as PEM; created in each process. */
export const testCertificate = certificateFor('mx.example')

/** Another one, for another name, valid until that time. */
export function certificateFor(name: string, { until = '21200101000000Z' } = {}): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
  const commonName = der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)))
  const holder = der(0x30, der(0x31, commonName))
  const validity = der(0x30, time('20200101000000Z'), time(until))
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const third = der(0xa0, der(0x02, Buffer.from([2])))
  const names = der(0x04, der(0x30, der(0x82, Buffer.from(name))))
  const extensions = der(0xa3, der(0x30, der(0x30, Buffer.from('0603551d11', 'hex'), names)))
  const serial = der(0x02, Buffer.from([1]))
  const body = der(0x30, third, serial, ecdsaWithSha256, holder, validity, holder, spki, extensions)
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const base64 = der(0x30, body, ecdsaWithSha256, signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function time(generalized: string): Buffer {
  return der(0x18, Buffer.from(generalized))
}

/** Tag, length and value (X.690 8.1). */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...octets]), value])
}
