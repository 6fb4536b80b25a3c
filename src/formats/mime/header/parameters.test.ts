import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseParameters } from './parameters.ts'

for (const [what, text, value, parameters] of [
  ['a value alone', 'text/plain', 'text/plain', {}],
  ['in lower case', 'TEXT/Plain; CHARSET=UTF-8', 'text/plain', { charset: 'UTF-8' }],
  ['quoted', 'a/b; name="x; y=\\"z\\""', 'a/b', { name: 'x; y="z"' }],
  ['with spaces around', 'a/b ; name = x ; size=3 ', 'a/b', { name: 'x', size: '3' }],
  ['unquoted with spaces in it', 'a/b; name=My file (1).pdf; size=3', 'a/b', { name: 'My file (1).pdf', size: '3' }],
  ['with a comment after the value', 'a/b (c); name=x', 'a/b', { name: 'x' }],
  ['with comments after each', 'a/b; charset=x (c (d)); format=y (x)', 'a/b', { charset: 'x', format: 'y' }],
  ['with a semicolon in a comment', 'a/b; charset=x (c; d=e); format=y', 'a/b', { charset: 'x', format: 'y' }],
  ['with a comment before a value', 'a/b; charset=(c) utf-8', 'a/b', { charset: 'utf-8' }],
  ['with a bracket that opens no comment', 'a/b; boundary=x(y', 'a/b', { boundary: 'x(y' }],
  ['without a semicolon between', 'a/b; boundary=x name=A b.c', 'a/b', { boundary: 'x', name: 'A b.c' }],
  ['without a semicolon before a segment', 'a/b; charset=x name*0=y; name*1=z', 'a/b', { charset: 'x', name: 'yz' }],
  ['with stray semicolons', 'a/b;; ;name=x;', 'a/b', { name: 'x' }],
  ['without the semicolon before', 'multipart/mixed boundary=x', 'multipart/mixed', { boundary: 'x' }],
  ['without the closing quote', 'a/b; name="x', 'a/b', { name: 'x' }],
  ['with backslashes of a path', 'a/b; name="C:\\dir\\x.txt"', 'a/b', { name: 'C:\\dir\\x.txt' }],
  ['the first of two with one name', 'a/b; name=x; name=y', 'a/b', { name: 'x' }],
  ['empty', 'a/b; name=; x=""', 'a/b', { name: '', x: '' }],
  ['with a name that objects have too', 'a/b; constructor=x', 'a/b', { constructor: 'x' }],
  ['with an encoded word', 'a/b; name="=?utf-8?q?=C3=BC.txt?="', 'a/b', { name: 'ü.txt' }],
  ['in segments', 'a/b; name*0="x "; name*1=y', 'a/b', { name: 'x y' }],
  ['in segments out of order', 'a/b; name*2=c; name*0=a; name*1=b', 'a/b', { name: 'abc' }],
  ['encoded', "a/b; name*=utf-8'en'%C3%BC%20x", 'a/b', { name: 'ü x' }],
  ['encoded in latin1', "a/b; name*=iso-8859-1''%FC", 'a/b', { name: 'ü' }],
  ['in segments, some encoded', "a/b; name*0*=utf-8''%C3; name*1*=%BC; name*2=' %41'", 'a/b', { name: "ü' %41'" }],
  ['encoded without saying how', 'a/b; name*=%C3%BC', 'a/b', { name: 'ü' }],
  ['encoded beside segments', "a/b; name*0=u1; name*=utf-8''%C3%BC; name*1=u2; name=u", 'a/b', { name: 'ü' }],
  ['in segments that are there twice', 'a/b; name*0=x; name*1=y; name*0=x; name*1=z', 'a/b', { name: 'xy' }],
  ['encoded beside the plain form', "a/b; name*=utf-8''%C3%BC; name=u", 'a/b', { name: 'ü' }],
  ['with an encoded line break', "a/b; name*=utf-8''a%0D%0Ab%00c", 'a/b', { name: 'a bc' }],
  ['of nothing', '', '', {}],
] as const)
  test(`parameters are read ${what}`, () => {
    const read = parseParameters(text)
    assert.equal(read.value, value)
    assert.deepEqual([...read.parameters], Object.entries(parameters))
  })
