import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statementsOf } from './migration-statements.ts'

const plain = 'create table a ( n integer ); select 1'

for (const [what, sql, expected] of [
  ['a comment to the end of a line', '-- why\ncreate table a ( -- of it\n  n integer\n); select 1 -- last', plain],
  ['a block comment with another in it', "create table a ( n /* of /* a */ -- ' $$ */ integer ); select 1", plain],
  ['quotes and dollars within comments', "-- it's $$ \" \ncreate table a ( n integer ); /* don't */ select 1", plain],
  ['line breaks and indentation', '\n create\ttable a (\r\n\n n integer );   select 1\n', plain],
  ['a comment in a body', 'do $$\n  -- why\n  begin perform 1; end $$', 'do $$begin perform 1; end$$'],
] as const)
  test(`two migrations are the same that differ in ${what}`, () => assert.equal(statementsOf(sql), expected))

for (const [what, sql] of [
  ['a text', "select '-- no comment', 'it''s /* none */'"],
  ['a text with a backslash', "select E'\\'-- none', 2"],
  ['a quoted name', 'select 1 as "a  -- b", 2'],
  ['spaces in a text', "select 'a  b\n c'"],
  ['a text in a body', "do $do$perform '--  $$ no comment';$do$"],
] as const)
  test(`what looks like a comment stays in ${what}`, () => assert.equal(statementsOf(sql), sql))
