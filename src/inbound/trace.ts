import type { Message } from '#/mime/message.ts'
import type { Verdict } from './authenticate.ts'
import type { Envelope } from './envelope.ts'

export function withTrace(message: Message, hostname: string, envelope: Envelope, verdict: Verdict): Message {
  const { id, client, sender, receivedAt } = envelope
  const head = Buffer.from(
    `Return-Path: <${sender}>\r\nReceived: from ${client.helo} ([${client.address}]) by ${hostname} with ESMTP id ${id}; ${receivedAt.toUTCString()}\r\nAuthentication-Results: ${hostname}; spf=${verdict.spf.result}\r\n`,
  )
  return { ...message, raw: Buffer.concat([head, message.raw]) }
}
