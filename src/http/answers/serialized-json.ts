import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { bufferOf } from '#/base/event-loop/pieces.ts'

/** A value that is already serialized to JSON, in UTF-8. */
export class SerializedJson {
  readonly bytes: Buffer

  constructor(bytes: Uint8Array) {
    this.bytes = bufferOf(bytes)
  }
}

/** A text that may be serialized already, as those of large messages are (src/formats/mime/reader.ts). */
export function readyText(text: string | null | Uint8Array): string | null | SerializedJson {
  return text instanceof Uint8Array ? new SerializedJson(text) : text
}

/** Sends an object; values that are already serialized are streamed. */
export function sendSerialized(reply: FastifyReply, object: object): FastifyReply {
  if (!Object.values(object).some((value) => value instanceof SerializedJson)) return reply.send(object)
  const pieces = jsonPieces(object)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return reply
    .headers({ 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': length })
    .send(Readable.from(pieces, { objectMode: false }))
}

function jsonPieces(object: object): Buffer[] {
  const pieces: Buffer[] = []
  let text = '{'
  for (const [index, [name, value]] of Object.entries(object).entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`
    if (value instanceof SerializedJson) {
      pieces.push(Buffer.from(text), value.bytes)
      text = ''
    } else text += JSON.stringify(value)
  }
  pieces.push(Buffer.from(`${text}}`))
  return pieces
}
