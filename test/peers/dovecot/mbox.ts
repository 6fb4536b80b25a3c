import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The headers of the messages in an mbox file (RFC 4155), each with its empty line, their line ends CRLF. A message
 *  starts at a line `From `, after an empty line, that holds a time and a year. */
export async function* headersIn(path: string): AsyncGenerator<Buffer> {
  const lines = createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Number.POSITIVE_INFINITY })
  let header: string[] | undefined
  let empty = true
  for await (const line of lines) {
    if (empty && /^From .*\d\d:\d\d.* \d{4}/.test(line)) {
      if (header) yield written(header)
      header = []
    } else if (line === '' && header) {
      yield written(header)
      header = undefined
    } else header?.push(line)
    empty = line === ''
  }
  if (header) yield written(header)
}

/** U+0000 cannot be in a literal of IMAP. */
function written(lines: readonly string[]): Buffer {
  return Buffer.from([...lines, '', ''].join('\r\n').replaceAll('\0', '?'), 'latin1')
}
