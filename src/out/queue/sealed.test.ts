import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '#/formats/mime/authentication/verdict.ts'
import { mailKey } from '#test/world/installation.ts'
import {
  openedFields,
  openedPiece,
  openedRecipient,
  openedSource,
  openedVerdict,
  sealedFields,
  sealedPiece,
  sealedRecipient,
  sealedSource,
  sealedVerdict,
} from './sealed.ts'

const verdict = { own: true } as unknown as Verdict
const listed = { to: ['a@x'], cc: [], bcc: [], subject: 'Out' }

/** What is sealed in the queue, how it opens, and what was sealed of it once, under the tests' secret: an installation
 *  goes on with what waits there. */
for (const [what, plain, seal, open, before] of [
  [
    'a piece',
    'octets',
    (id: string) => sealedPiece(mailKey, id, 0, Buffer.from('octets')),
    (id: string, sealed: Buffer) => openedPiece(mailKey, id, 0, sealed).toString(),
    'Al3xcHXM1d8U5T2qRolLlY78ppsxw6WUHGszefuhVYTT7IsnFipECnE2sA==',
  ],
  [
    'a recipient',
    'a@x',
    (id: string) => Buffer.from(sealedRecipient(mailKey, id, 'a@x'), 'base64'),
    (id: string, sealed: Buffer) => openedRecipient(mailKey, id, sealed.toString('base64')),
    'Al3xcHXM1d8U7AxJ15NAN6ZnMJ/Tdpu/Vf2CiGssjL8i9ArVT4zUcg==',
  ],
  [
    'a verdict',
    verdict,
    (id: string) => sealedVerdict(mailKey, id, verdict),
    (id: string, sealed: Buffer) => openedVerdict(mailKey, id, sealed),
    'Al3xcHXM1d8ULxbgEPemqwMnbSnuLz+ec9j+87PuXHksO4LEgglOWeCnv1qpEItCzw==',
  ],
  [
    'a source',
    { a: 1 },
    (id: string) => sealedSource(mailKey, id, { a: 1 }),
    (id: string, sealed: Buffer) => openedSource(mailKey, id, sealed),
    'Al3xcHXM1d8U7K/aN3oSkp2YxWLkgd1tspL1VwtaX3ycNv41jRgGLdscMYY=',
  ],
  [
    'what is listed',
    listed,
    (id: string) => sealedFields(mailKey, id, listed),
    (id: string, sealed: Buffer) => openedFields(mailKey, id, sealed),
    'Al3xcHXM1d8UuGoiydnixY3sjFb2xZV16DkGhGFg3BRBFHFoXBZx200WRlrIWKiwewjwx3lLtrgZHxAwopdcZm8DEVQBNVEdlbMhtKt/5NNkXZY5',
  ],
] as const)
  test(`${what} opens where it was sealed, and nowhere else`, () => {
    assert.deepEqual(open('id', seal('id')), plain)
    assert.deepEqual(open('id', Buffer.from(before, 'base64')), plain)
    assert.throws(() => open('other', seal('id')))
    assert.ok(!seal('id').includes('a@x'))
  })

test('a piece opens at its place in the message alone', () => {
  const second = sealedPiece(mailKey, 'id', 1, Buffer.from('second'))
  assert.equal(openedPiece(mailKey, 'id', 1, second).toString(), 'second')
  assert.throws(() => openedPiece(mailKey, 'id', 0, second))
})
