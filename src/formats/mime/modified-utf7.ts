/** Modified UTF-7 (RFC 3501, section 5.1.3) for IMAP folders: printable ASCII unchanged, all else, controls too, in base64. */
export function encodeUtf7(name: string): string {
  return name.replace(/[^\x20-\x25\x27-\x7e]+/g, (run) => run.split('&').map(base64).join('&-'))
}

function base64(text: string): string {
  if (text === '') return ''
  const encoded = Buffer.from(text, 'utf16le').swap16().toString('base64')
  return `&${encoded.replace(/=+$/, '').replaceAll('/', ',')}-`
}

/** Invalid parts stay unchanged. */
export function decodeUtf7(encoded: string): string {
  return encoded.replace(/&([A-Za-z0-9+,]*)-/g, (_, run: string) => {
    if (run === '') return '&'
    const bytes = Buffer.from(run.replaceAll(',', '/'), 'base64')
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le')
  })
}
