import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isGuessable } from './guessable.ts'

const words = ['ada@tryout.test', 'ada', 'tryout.test', 'Ada Lovelace', 'tryout', 'mailroom']

for (const password of [
  'password1234',
  'PASSWORDPASSWORD',
  'qwertyuiop12',
  '123456789012',
  'iloveyou1234',
  '1q2w3e4r5t6y',
  'abcdeabcdeabcde',
  'ada@tryout.test1',
  'mailroom1234',
])
  test(`soon guessed: ${password}`, async () => assert.equal(await isGuessable(password, words), true))

for (const password of [
  'correct horse battery staple',
  'hq7dkc-w2mzt9-3fvbxn',
  'wenn der hund bellt',
  `${'x'.repeat(40)}four words nobody says`,
])
  test(`not soon guessed: ${password}`, async () => assert.equal(await isGuessable(password, words), false))

test('the longest password is read in the time of a shorter one', async () =>
  assert.equal(await isGuessable('4@(86391!70$5+2%'.repeat(16), words), false))
