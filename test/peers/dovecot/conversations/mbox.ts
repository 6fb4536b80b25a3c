import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The headers of the messages in an mbox file (RFC 4155), each with its empty line, their line ends CRLF. A message
 *  starts at a line `From `, after an empty line, that holds a time and a year. */
export async function* headersIn(path: string): AsyncGenerator<Buffer> {
  for await (const lines of linesOfEach(path)) {
    const end = lines.indexOf('')
    yield written([...lines.slice(0, end < 0 ? lines.length : end), ''])
  }
}

/** The whole messages, likewise. */
export async function* messagesIn(path: string): AsyncGenerator<Buffer> {
  for await (const lines of linesOfEach(path)) yield written(lines)
}

async function* linesOfEach(path: string): AsyncGenerator<string[]> {
  const lines = createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Number.POSITIVE_INFINITY })
  let message: string[] | undefined
  let empty = true
  for await (const line of lines) {
    if (empty && /^From .*\d\d:\d\d.* \d{4}/.test(line)) {
      if (message) yield message
      message = []
    } else message?.push(line)
    empty = line === ''
  }
  if (message) yield message
}

/** U+0000 cannot be in a literal of IMAP. */
function written(lines: readonly string[]): Buffer {
  return Buffer.from([...lines, ''].join('\r\n').replaceAll('\0', '?'), 'latin1')
}
