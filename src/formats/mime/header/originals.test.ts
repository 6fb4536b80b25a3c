import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeaders } from './headers.ts'
import { originalsOf } from './originals.ts'

const many = (of: string) => Array.from({ length: 150 }, (_, at) => `<${of}${at}@x>`)

for (const [what, fields, answered, forwarded] of [
  ['what it names in In-Reply-To', ['References: <0@x> <1@x>', 'In-Reply-To: <2@x>'], ['<2@x>'], []],
  ['all that it names there', ['In-Reply-To: <1@x> (of Monday)\r\n <2@x>'], ['<1@x>', '<2@x>'], []],
  ['what it names there without brackets', ['In-Reply-To: 1@x'], ['<1@x>'], []],
  ['else the last that it names in References', ['References: <0@x>\r\n <1@x>'], ['<1@x>'], []],
  ['the same where In-Reply-To is words', ['In-Reply-To: your message', 'References: <0@x> <1@x>'], ['<1@x>'], []],
  ['nothing where it names nothing', ['Subject: Re: Hello'], [], []],
  ['not what it forwards, though it names it', ['In-Reply-To: <1@x>', 'X-Forwarded-Message-Id: <1@x>'], [], ['<1@x>']],
  ['not what it forwards, though last', ['References: <0@x> <1@x>', 'x-forwarded-message-id: <1@x>'], [], ['<1@x>']],
  ['none it forwards', ['In-Reply-To: <1@x>', 'X-Forwarded-Message-Id: <2@x> <3@x>'], ['<1@x>'], ['<2@x>', '<3@x>']],
  [
    'at most a hundred, and forwards as many',
    [`In-Reply-To: ${many('a').join('\r\n ')}`, `X-Forwarded-Message-Id: ${many('f').join('\r\n ')}`],
    many('a').slice(0, 100),
    many('f').slice(0, 100),
  ],
] as const)
  test(`a message answers ${what}`, () => {
    const { headers } = readHeaders(Buffer.from(`${fields.join('\r\n')}\r\n\r\n`))
    assert.deepEqual(originalsOf(headers), { answered, forwarded })
  })
