import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Action, keyOf, readyOf } from '../../../web/src/parts/actions/action.ts'
import { doByKey, offer, readyNow, want, wantedOf } from '../../../web/src/parts/actions/offered.ts'

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

for (const [pressed, key] of [
  [{ key: 'e' }, 'e'],
  [{ key: '#', shiftKey: true }, '#'],
  [{ key: 'U', shiftKey: true }, 'Shift U'],
  [{ key: 'Escape' }, 'Esc'],
  [{ key: 'k', ctrlKey: true }, 'Ctrl K'],
  [{ key: 'Enter', metaKey: true }, 'Ctrl Enter'],
  [{ key: 'K', ctrlKey: true, shiftKey: true }, undefined],
  [{ key: 'e', altKey: true }, undefined],
] as const)
  test(`the key of ${JSON.stringify(pressed)} is ${key}`, () => assert.equal(keyOf({ ...none, ...pressed }), key))

test('an action is ready when it can be done, with what it is done with', () => {
  const done: string[] = []
  const actions: Action<{ readonly folder: string }>[] = [
    {
      name: 'Junk',
      key: '!',
      when: ({ folder }) => folder !== 'junk',
      do: ({ folder }) => done.push(`from ${folder}`),
    },
    { name: 'Not junk', key: ['!', 'n'], when: ({ folder }) => folder === 'junk', do: () => done.push('to the inbox') },
    { name: 'Star', on: ({ folder }) => folder === 'starred', do: () => {} },
  ]
  const [junk, star, ...others] = readyOf(actions, { folder: 'starred' })
  junk?.do()
  assert.deepEqual(done, ['from starred'])
  assert.deepEqual([junk?.name, junk?.shortcut, junk?.isOn, star?.name, star?.isOn], ['Junk', '!', false, 'Star', true])
  assert.deepEqual(others, [])
})

test('a key and the palette do what the first component offers that can be done now', () => {
  const done: string[] = []
  const named = (name: string, key: string): Action<unknown> => ({ name, key, do: () => done.push(name) })
  let mayUndo = false
  const undo = { ...named('Undo', 'z'), when: () => mayUndo }
  const list = { current: { actions: [named('Open', 'o'), undo], it: {} } }
  const gone = { current: undefined }
  const page = { current: { actions: [named('Open', 'o'), named('Reply', 'r'), named('Undo all', 'z')], it: {} } }
  const ends = [list, gone, page].map(offer)
  assert.ok(doByKey('o') && doByKey('z') && !doByKey('x'))
  mayUndo = true
  assert.ok(doByKey('z'))
  assert.deepEqual(done, ['Open', 'Undo all', 'Undo'])
  assert.deepEqual(
    readyNow().map(({ name }) => name),
    ['Open', 'Undo', 'Reply', 'Undo all'],
  )
  for (const end of ends) end()
  assert.deepEqual([readyNow(), doByKey('o')], [[], false])
})

test('what is wanted of a page is found once', () => {
  const ready = readyOf([{ name: 'New label', do: () => {} }], undefined)
  want('New label')
  assert.deepEqual([wantedOf([]), wantedOf(ready), wantedOf(ready)], [undefined, ready[0], undefined])
})
