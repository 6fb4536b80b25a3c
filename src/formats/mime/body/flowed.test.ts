import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unflow } from './flowed.ts'

for (const [what, text, expected] of [
  ['joins soft lines', 'a \nb \nc\nd', 'a b c\nd'],
  ['keeps empty lines', 'a \nb\n\nc\n', 'a b\n\nc\n'],
  ['takes stuffing off', ' >a\n From b\n  c', '>a\nFrom b\n c'],
  ['joins quoted lines of one depth', '> a \n> b\n>> c \n> d', '> a b\n>> c \n> d'],
  ['does not join a quotation to what is below it', '> a \nb', '> a \nb'],
  ['leaves the signature separator alone', 'a \n-- \nAnn \nExample', 'a \n-- \nAnn Example'],
] as const)
  test(`format=flowed ${what}`, () => assert.equal(unflow(text, false), expected))

test('format=flowed takes the space away where DelSp says so', () => assert.equal(unflow('a \nb', true), 'ab'))
