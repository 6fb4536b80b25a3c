import assert from 'node:assert/strict'

/** The sender whose mail left with this envelope sender, which must be a bounce address of theirs. */
export function senderBehind(bounceAddress = ''): string {
  assert.match(bounceAddress, /^[^@]+\+r[a-z2-7]{26}@/)
  return bounceAddress.replace(/\+r[a-z2-7]{26}@/, '@')
}
