import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isUnavailable } from './unavailable.ts'

const told = (code: string, severity = 'ERROR') =>
  Object.assign(new pg.DatabaseError('told by the server', 0, 'error'), { code, severity })
const withCode = (code: string) => Object.assign(new Error('told by the system'), { code })

for (const [what, error, expected] of [
  ['a server that stops', told('57P01', 'FATAL'), true],
  ['a server that starts', told('57P03', 'FATAL'), true],
  ['a server with too many connections', told('53300', 'FATAL'), true],
  ['a server that does not let us in', told('28000', 'FATAL'), true],
  ['a database without connections', told('55000', 'FATAL'), true],
  ['a full disk', told('53100'), true],
  ['a disk that cannot be read', told('58030'), true],
  ['a server that may not be written to', told('25006'), true],
  ['a statement that took too long', told('57014'), true],
  ['a lock that took too long', told('55P03'), true],
  ['a wrong statement', told('42601'), false],
  ['a value that is there already', told('23505'), false],
  ['a transaction to repeat', told('40001'), false],
  ['nobody at the port', withCode('ECONNREFUSED'), true],
  ['nobody at any address', new AggregateError([withCode('EHOSTUNREACH'), withCode('ECONNREFUSED')]), true],
  ['a name that is not known', withCode('ENOTFOUND'), true],
  ['a connection that ended', new Error('Connection terminated unexpectedly'), true],
  ['a connection that has ended before', new Error('Client was closed and is not queryable'), true],
  ['no connection free', new Error('timeout exceeded when trying to connect'), true],
  ['a connection that does not come about', new Error('timeout expired'), true],
  ['a database that was closed', new Error('The database has been closed'), true],
  ['a file that is not there', withCode('ENOENT'), false],
  ['any other error', new TypeError('undefined is not a function'), false],
  ['no error', 'Connection terminated', false],
] as const)
  test(`${what} ${expected ? 'means' : 'does not mean'} that the database cannot be used`, () =>
    assert.equal(isUnavailable(error), expected))
