import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownPath } from '../../../web/src/app/own-path.ts'

for (const [text, isOwn] of [
  ['/labels?q=a%2Fb#c', true],
  ['https://elsewhere.example/', false],
  ['//elsewhere.example/', false],
  ['/\\elsewhere.example', false],
  ['/\t/elsewhere.example', false],
  ['labels', false],
  [['/labels'], false],
] as const)
  test(`${JSON.stringify(text)} is ${isOwn ? 'a' : 'no'} path of the app`, () =>
    assert.equal(ownPath(text), isOwn ? text : undefined))
